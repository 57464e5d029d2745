/** A plain Git server for tests: Git's own `git http-backend` behind Basic authentication. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BareRepository } from './git-binary.js'

export interface GitServer {
  /** `http://127.0.0.1:port` */
  readonly url: string
  readonly username: string
  readonly password: string
  /** Requests: method and path with its query. */
  readonly requests: readonly string[]
  /** Creates an empty repository. */
  create(name: string): BareRepository
  /** Answers requests of a path that contains the text; null: Git answers them. */
  intercept(path: string, answer: ((response: ServerResponse, request: IncomingMessage) => void) | null): void
  close(): Promise<void>
}

export async function startGitServer(): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'git-server-'))
  const [username, password] = ['deploy', 'pass-word-of-git-server']
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  // Servers that take tokens ignore the name.
  const expectedToken = `Basic ${Buffer.from(`git:${password}`).toString('base64')}`
  const requests: string[] = []
  const intercepted = new Map<string, (response: ServerResponse, request: IncomingMessage) => void>()
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (request.headers.authorization !== expected && request.headers.authorization !== expectedToken) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end('no')
      return
    }
    const answer = [...intercepted].find(([path]) => request.url?.includes(path))?.[1]
    if (answer === undefined) runBackend(root, request, response)
    else answer(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    username,
    password,
    requests,
    create: (name) => BareRepository.create(join(root, `${name}.git`)),
    intercept(path, answer) {
      if (answer === null) intercepted.delete(path)
      else intercepted.set(path, answer)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** CGI: the request in variables and standard input, the answer with its headers on standard output. */
function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const child = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => undefined)
  let head = Buffer.alloc(0)
  let isBody = false
  child.stdout.on('data', (chunk: Buffer) => {
    if (isBody) {
      response.write(chunk)
      return
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    isBody = true
    const headers = Object.fromEntries(
      head
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]),
    )
    const { Status = '200', ...rest } = headers
    response.writeHead(Number.parseInt(Status, 10), rest)
    response.write(head.subarray(end + 4))
  })
  child.on('error', () => response.destroy())
  child.on('close', () => response.end())
  response.on('close', () => child.kill())
}
