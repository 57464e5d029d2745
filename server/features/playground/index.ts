/** The playground: a page on which content is edited and events are run, by the engine in the browser. It needs no account, because the service only sends files. A member opens content in it by the interface, as any program does. */
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { REFERENCE_RULESET_DIR } from '#workers'
import { API_PREFIX } from '../../core/http/application.js'
import type { Context, Middleware } from '../../core/http/request-state.js'
import { send } from '../../core/http/response/send.js'
import { PAGE_NAME, PLAYGROUND_PATH, PlaygroundSite } from '../../core/playground-site.js'
import type { OpenWing, Wing } from '../../core/wing.js'

export const playground: Wing = {
  collections: [],
  open({ config, log, provided }): OpenWing {
    if (!config.playgroundEnabled) return { routes: [] }
    const site = new PlaygroundSite(provided.playgroundFolder, {
      address: `..${API_PREFIX}`,
      hasReference: config.defaultRulesetDir === null || resolve(config.defaultRulesetDir) === resolve(REFERENCE_RULESET_DIR),
      hasCustom: hasFiles(config.customContentDir),
    })
    if (!site.hasPage) log.warn('the playground was not built, so it is not served')
    return { routes: [], files: site.hasPage ? filesOf(site) : new Map() }
  },
}

declare module '../../core/wing.js' {
  interface Provided {
    /** Folder of the built page. */
    readonly playgroundFolder?: string
  }
}

/** Read when the service starts: the page does not show files that are added later. */
function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}

function filesOf(site: PlaygroundSite): ReadonlyMap<string, Middleware> {
  const file =
    (name: string): Middleware =>
    async (ctx) =>
      sendFile(ctx, site, name)
  return new Map([
    ...site.names.map((name) => [PLAYGROUND_PATH + name, file(name)] as const),
    [PLAYGROUND_PATH, file(PAGE_NAME)],
    // Addresses in the page are relative to its folder.
    [PLAYGROUND_PATH.slice(0, -1), toFolder],
  ])
}

async function sendFile(ctx: Context, site: PlaygroundSite, name: string): Promise<void> {
  const { state } = ctx
  const { status, type, headers, body } = await site.answer(name, { acceptEncoding: state.header('accept-encoding'), ifNoneMatch: state.header('if-none-match') })
  Object.assign(state.headers, headers)
  send(ctx, status, type, body)
}

/** The address is relative, because a proxy may put the service below a folder. */
const toFolder: Middleware = (ctx) => {
  ctx.state.headers.Location = PLAYGROUND_PATH.slice(1)
  send(ctx, 308, null, null)
}
