/** The worker's end of the port. */
import type { PlaygroundEngine } from './engine.js'
import { type Method, type Methods, type Port, RefusedError, type Refusal, type Reply, type Request, type RunPart } from './protocol.js'
import { nextTurn } from './turn.js'

type Handlers = {
  readonly [M in Method]: (engine: PlaygroundEngine, request: Methods[M]['request'], send: (part: RunPart) => void, isSuperseded: () => boolean) => Promise<Methods[M]['answer']>
}

/** In the order in which waiting requests are answered: a run is of the content that was opened before it. */
const HANDLERS: Handlers = {
  base: (engine, request) => engine.base(request),
  open: (engine, request) => engine.open(request),
  run: (engine, request, send, isSuperseded) => engine.run(request, send, isSuperseded),
  inspect: (engine, request, _, isSuperseded) => engine.inspect(request, isSuperseded),
  diagnose: (engine, request) => engine.diagnose(request),
  test: (engine, request, _, isSuperseded) => engine.test(request, isSuperseded),
  near: (engine, request, _, isSuperseded) => engine.near(request, isSuperseded),
  graph: (engine) => engine.graph(),
  costs: (engine, request, _, isSuperseded) => engine.costs(request, isSuperseded),
  split: (engine, request) => engine.split(request),
  baseFile: (engine, request) => engine.baseFile(request),
  merge: async (_, request) => (await import('./merge.js')).mergeFiles(request),
  help: (engine, request) => engine.help(request),
  attack: (engine, request) => engine.attack(request),
  prove: (engine, request) => engine.prove(request),
  differences: (engine, request) => engine.differences(request),
  // Their next part is asked for at once.
  audit: (engine, request) => engine.audit(request),
  mutate: (engine, request) => engine.mutate(request),
  language: (engine, request) => engine.language(request),
}
const ORDER = Object.keys(HANDLERS) as Method[]

/** Requests that make a running one useless, beside its own kind: they change the ruleset. Searches that wait are useless with them too. */
const SUPERSEDING: readonly Method[] = ['base', 'open']

/** Requests that are answered when they arrive: they take milliseconds, and a person waits for each of them. */
const AT_ONCE: readonly Method[] = ['language']

/** Requests that take seconds, in slices, while others are answered. They begin in their turn: what was opened before them is what they are about. */
const BESIDE: readonly Method[] = ['attack', 'prove', 'differences']

/**
 * Answers the requests that arrive at a port, one after the other. Only the newest request of each method waits; older ones are refused as superseded. Requests
 * to the language server are answered when they arrive, and searches run beside the other requests.
 */
export function serve(port: Port, engine: PlaygroundEngine): void {
  const waiting = new Map<Method, Request>()
  let isBusy = false
  const reply = (message: Reply): void => port.postMessage(message)
  const refuse = (id: number, { code, limit }: Refusal): void => reply({ id, kind: 'refusal', refusal: { code, limit } })

  const answer = async <M extends Method>({ id, method, request }: Request<M>): Promise<void> => {
    const isSuperseded = (): boolean => waiting.has(method) || SUPERSEDING.some((other) => waiting.has(other))
    try {
      reply({ id, kind: 'answer', answer: await HANDLERS[method](engine, request, (part) => reply({ id, kind: 'part', part }), isSuperseded) })
    } catch (error) {
      if (error instanceof RefusedError) return refuse(id, error)
      refuse(id, new RefusedError('failed'))
      // A fault of ours belongs in the console.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  const work = async (): Promise<void> => {
    isBusy = true
    // Requests that were sent together wait together.
    await nextTurn()
    for (let method = next(); method !== undefined; method = next()) {
      const request = waiting.get(method) as Request
      waiting.delete(method)
      const answered = answer(request)
      if (!BESIDE.includes(method)) await answered
      await nextTurn()
    }
    isBusy = false
  }
  const next = (): Method | undefined => ORDER.find((method) => waiting.has(method))

  port.onmessage = ({ data }) => {
    const request = data as Request
    if (AT_ONCE.includes(request.method)) return void answer(request)
    for (const method of [request.method, ...(SUPERSEDING.includes(request.method) ? BESIDE : [])]) {
      const older = waiting.get(method)
      if (older === undefined) continue
      waiting.delete(method)
      refuse(older.id, new RefusedError('superseded'))
    }
    waiting.set(request.method, request)
    if (!isBusy) void work()
  }
}
