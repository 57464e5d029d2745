/** One page of metrics for all processes of an instance: the page of each, its samples with the label `process`. */
import { metricText } from '../core/observability/metric-text.js'
import type { PeerCalls } from './peer-calls.js'

const KIND = 'metrics'
/** A process that takes longer is left out: a scraper waits for ten seconds. */
const ANSWER_MS = 3_000

interface Page {
  readonly type: string
  readonly text: string
}

/** Reads the metrics of all processes of this instance. */
export class InstanceMetrics {
  readonly #calls: PeerCalls
  readonly #own: () => Promise<Page>

  /** @param own reads the metrics of this process */
  constructor(calls: PeerCalls, own: () => Promise<Page>) {
    this.#calls = calls
    this.#own = own
    calls.answer(KIND, async () => (await own()).text)
  }

  async read(): Promise<Page> {
    const own = await this.#own()
    const { instance, self } = this.#calls
    const pages = new Map<number, string | null>()
    await Promise.all(instance.map(async (name, index) => pages.set(index + 1, name === self ? own.text : await this.#ask(name))))
    return { type: own.type, text: mergePages(pages) }
  }

  async #ask(name: string): Promise<string | null> {
    try {
      return (await this.#calls.ask(name, KIND, null, AbortSignal.timeout(ANSWER_MS))) as string
    } catch {
      return null
    }
  }
}

/** @param pages the page of each process; null: it did not answer */
export function mergePages(pages: ReadonlyMap<number, string | null>): string {
  const families = new Map<string, { readonly head: readonly string[]; readonly samples: string[] }>()
  const sorted = [...pages].sort(([a], [b]) => a - b)
  for (const [number, page] of sorted) {
    let head: string[] = []
    let samples: string[] = []
    for (const line of page?.split('\n') ?? []) {
      const [, kind, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? []
      if (kind === 'HELP') head = [line]
      else if (kind === 'TYPE') {
        head.push(line)
        const family = families.get(name) ?? { head, samples: [] }
        families.set(name, family)
        samples = family.samples
      } else if (line !== '') samples.push(withProcess(line, number))
    }
  }
  const up = sorted.map(([number, page]): [string, number] => [`service_process_up{process="${number}"}`, page === null ? 0 : 1])
  const text = [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`)
  return metricText('service_process_up', 'gauge', '1: the process of the service answers.', up) + text.join('')
}

/** A sample is `name value` or `name{labels} value`. */
function withProcess(sample: string, number: number): string {
  const end = sample.search(/[{ ]/)
  const name = sample.slice(0, end)
  return sample[end] === '{' ? `${name}{process="${number}",${sample.slice(end + 1)}` : `${name}{process="${number}"}${sample.slice(end)}`
}
