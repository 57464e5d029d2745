/** The bundle of the playground, as browsers load it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import type { Locale } from '#engine'
import type { EnginePort } from '../../server/playground/worker/client.js'
import type * as Limits from '../../server/playground/worker/limits.js'
import type { Port } from '../../server/playground/worker/protocol.js'

const PLAYGROUND = fileURLToPath(new URL('../../server/playground/', import.meta.url))
export const ASSETS = join(PLAYGROUND, 'assets')

/** Files by the name of an entry, or of what is loaded on demand: its own, and those that load with it. */
export const MANIFEST = JSON.parse(readFileSync(join(PLAYGROUND, 'manifest.json'), 'utf8')) as Readonly<
  Record<'boot' | 'engine' | 'icon' | 'main' | 'styles' | 'reference' | 'start' | 'worker' | `texts/${Locale}`, { readonly file: string; readonly imports: readonly string[] }>
>

type Bundle = typeof Limits & {
  readonly EnginePort: new (port: Port) => EnginePort
  readonly PlaygroundEngine: new () => object
  readonly serve: (port: Port, engine: object) => void
}

export const BUNDLE = (await import(pathToFileURL(join(ASSETS, MANIFEST.engine.file)).href)) as Bundle

/** Starts an engine of the bundle, in this thread. */
export function startEngine(): { readonly engine: EnginePort; close(): void } {
  const { EnginePort, PlaygroundEngine, serve } = BUNDLE
  const { port1, port2 } = new MessageChannel()
  serve(port2 as unknown as Port, new PlaygroundEngine())
  return { engine: new EnginePort(port1 as unknown as Port), close: () => port1.close() }
}

/** The assets by their names. */
export function readAssets(): ReadonlyMap<string, string> {
  return new Map(readdirSync(ASSETS).map((name) => [name, readFileSync(join(ASSETS, name), 'utf8')]))
}
