/** An HTTP server with the API of OpenAI that does as it is told, well or badly. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'

/** A request as it came. */
export interface AiCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: AiBody
}

export interface AiBody {
  readonly model?: string
  readonly messages?: readonly { readonly role: string; readonly content: string }[]
  readonly input?: readonly string[]
  readonly stream?: boolean
  readonly max_completion_tokens?: number
}

/** Answers one call. */
export type AiScript = (response: ServerResponse, call: AiCall) => unknown

export interface AiProvider {
  /** With the version, as platform admins enter it. */
  readonly baseUrl: string
  readonly calls: AiCall[]
  /** Number of chat completions whose connection the caller closed before the end. */
  readonly left: () => number
  /** Sets what chat completions do from now on: one after the other, and the last one again and again. */
  script(...scripts: readonly AiScript[]): void
  /** Sets what embeddings do from now on; null, and a script that returns false: they are answered well. */
  scriptEmbeddings(script: AiScript | null): void
  close(): Promise<void>
}

/** The bytes of a streamed answer: two chunks around the text's middle, the end, the usage, and the mark of the end. */
export function streamed(text: string, usage: unknown = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 10 } }): Buffer {
  const middle = Math.ceil(text.length / 2)
  const chunk = (content: string, finish_reason: string | null = null) => ({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason }] })
  const chunks = [chunk(text.slice(0, middle)), chunk(text.slice(middle)), chunk('', 'stop'), { id: 'c', choices: [], usage }]
  return Buffer.from(`${chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`)
}

/** Answers with a stream of this text. */
export function says(text: string, usage?: unknown): AiScript {
  return (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(streamed(text, usage))
}

/** Answers with a status and a body. */
export function refuses(status: number, headers: Readonly<Record<string, string>> = {}, body = '{"error": {"message": "the provider repeats what it was sent"}}'): AiScript {
  return (response) => response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
}

/** Vectors of three numbers that tell texts with different letters apart. */
function vectorOf(text: string): number[] {
  const codes = [...text].map((letter) => letter.codePointAt(0) ?? 0)
  return [codes.length, codes.reduce((sum, code) => sum + code, 0) % 997, codes.filter((code) => code === 101).length].map((number) => number / 1000)
}

export async function startAiProvider(): Promise<AiProvider> {
  const calls: AiCall[] = []
  let scripts: AiScript[] = [says('ok')]
  let embeddings: AiScript | null = null
  let left = 0
  const server = createServer((request, response) => {
    void (async () => {
      const text = await bodyOf(request)
      const call: AiCall = { path: request.url ?? '', headers: request.headers, body: text === '' ? {} : (JSON.parse(text) as AiBody) }
      calls.push(call)
      const answer = (status: number, body: object) => void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
      if (call.path === '/v1/models') return answer(200, { object: 'list', data: [{ id: 'model' }] })
      if (call.path === '/v1/embeddings' && embeddings !== null && (await embeddings(response, call)) !== false) return
      if (call.path === '/v1/embeddings') return answer(200, { data: (call.body.input ?? []).map((each, index) => ({ index, embedding: vectorOf(each) })) })
      if (call.path !== '/v1/chat/completions') return answer(404, {})
      response.on('close', () => {
        if (!response.writableFinished) left++
      })
      const script = scripts.length > 1 ? scripts.shift()! : scripts[0]
      await script(response, call)
    })().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    left: () => left,
    script: (...next) => {
      scripts = [...next]
    },
    scriptEmbeddings: (next) => {
      embeddings = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += chunk as string
  return text
}
