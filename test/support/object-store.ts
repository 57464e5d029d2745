/** A store of objects that checks signatures of AWS, version 4, by its own computation. */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const STORE_KEYS = { access_key_id: 'AKIATEST', secret_access_key: 'a/secret+of=tests' } as const
export const STORE_REGION = 'test-1'

/** What the store answers for an object: its bytes, or anything else. */
export type StoredObject = Uint8Array | ((response: ServerResponse) => void)

export interface ObjectStore {
  readonly url: string
  /** By their path. Those below `/public/` need no signature. */
  readonly objects: Map<string, StoredObject>
  /** Paths of the requests. */
  readonly requests: string[]
  close(): Promise<void>
}

export async function startObjectStore(): Promise<ObjectStore> {
  const objects = new Map<string, StoredObject>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://store')
    requests.push(pathname)
    if (!pathname.startsWith('/public/') && !isSigned(request)) return void response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
    const object = objects.get(pathname)
    if (object === undefined) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    else if (typeof object === 'function') object(response)
    else response.writeHead(200, { 'Content-Length': object.length }).end(object)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    objects,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The steps of AWS's "Signature Version 4" for a request without a body. */
function isSigned({ method = '', url = '', headers }: IncomingMessage): boolean {
  const [, key, day, region, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '') ?? []
  if (key !== STORE_KEYS.access_key_id || region !== STORE_REGION || !names.split(';').includes('host')) return false
  const { pathname, search } = new URL(url, 'http://store')
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, pathname, search.slice(1), lines.join(''), names, headers['x-amz-content-sha256']].join('\n')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], `${day}/${region}/s3/aws4_request`, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const hmac = (secret: string | Buffer, value: string): Buffer => createHmac('sha256', secret).update(value).digest()
  const signing = hmac(hmac(hmac(hmac(`AWS4${STORE_KEYS.secret_access_key}`, day), region), 's3'), 'aws4_request')
  return hmac(signing, text).toString('hex') === signature
}
