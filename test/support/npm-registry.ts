/**
 * A registry of npm packages on a local address, for installations without network. It runs in a process of its own, because tests wait for npm. Packages are
 * folders on this machine: `node npm-registry.js FILE` reads a list of them, and prints its address.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** A version of a package. */
export interface ServedPackage {
  /** What `package.json` says: name, version, dependencies. */
  readonly manifest: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string }
  /** Its files. Null: it has `package.json` alone, because nothing loads it. */
  readonly folder: string | null
  /** Only files of this name are served, a regular expression. Default: all. */
  readonly only?: string
}

export interface NpmRegistry {
  readonly origin: string
  stop(): void
}

/** @param file where the list may be written */
export async function startNpmRegistry(packages: readonly ServedPackage[], file: string): Promise<NpmRegistry> {
  writeFileSync(file, JSON.stringify(packages))
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [origin] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return { origin: origin.trim(), stop: () => void child.kill() }
}

const BLOCK = 512

/** A file in a tar archive, in the format ustar. */
function tarEntry(name: string, content: Buffer, mode: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  // Names over 100 bytes are split at a slash: the beginning is in a field of its own.
  const cut = name.length > 100 ? name.indexOf('/', name.length - 101) : -1
  header.write(name.slice(cut + 1), 0, 100)
  header.write(`${mode.toString(8).padStart(7, '0')}\0${'0000000\0'.repeat(2)}${content.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0        0`, 100, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  if (cut > 0) header.write(name.slice(0, cut), 345, 155)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])
}

/** Returns the tarball of a package, without packages inside it. */
function tarballOf({ manifest, folder, only = '' }: ServedPackage): Buffer {
  const files =
    folder === null
      ? []
      : readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
          .filter((path) => !path.startsWith('node_modules/') && new RegExp(only).test(path))
  const entries = files.map((path) => tarEntry(`package/${path}`, readFileSync(join(folder as string, path)), 0o755))
  if (folder === null) entries.push(tarEntry('package/package.json', Buffer.from(JSON.stringify(manifest)), 0o644))
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 1 })
}

/** Serves the packages of a list. @returns the address */
async function serve(packages: readonly ServedPackage[]): Promise<string> {
  const versions = new Map<string, Map<string, ServedPackage>>()
  for (const each of packages) {
    const { name, version } = each.manifest
    versions.set(name, (versions.get(name) ?? new Map<string, ServedPackage>()).set(version, each))
  }
  const server = createServer((request, response) => {
    const [name, version] = decodeURIComponent((request.url ?? '').slice(1)).split('/-/')
    const known = versions.get(name)
    const wanted = known?.get(version)
    if (wanted !== undefined) return void response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(tarballOf(wanted))
    if (known === undefined || version !== undefined) return void response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not_found"}')
    const origin = `http://${request.headers.host}`
    const manifests = [...known.values()].map(({ manifest }) => ({ ...manifest, dist: { tarball: `${origin}/${name}/-/${manifest.version}` } }))
    const answer = { name, 'dist-tags': { latest: manifests.at(-1)?.version }, versions: Object.fromEntries(manifests.map((each) => [each.version, each])) }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await serve(JSON.parse(readFileSync(process.argv[2], 'utf8')) as ServedPackage[]))
