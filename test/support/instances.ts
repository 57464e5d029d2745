/** A service of two instances on one store, where the store takes two: what only one process keeps apart is not enough there. */
import { type Scope, Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, bootstrap } from './actors.js'
import { startTestApp, type TestApp, type TestAppOptions } from './app.js'
import { Client } from './client.js'
import { lendStorage } from './lent-storage.js'
import { EMBEDDED, type TestStore } from './stores.js'

export interface Instances {
  /** The first of them. */
  readonly app: TestApp
  readonly apps: readonly TestApp[]
  readonly admin: Actor
  /** Scope of the admin's organization. */
  readonly scope: Scope
  /** The admin, at one instance or the other. */
  readonly at: (index: number) => Client
}

export async function withInstances(store: TestStore, options: Omit<TestAppOptions, 'store'>, run: (instances: Instances) => Promise<void>): Promise<void> {
  const count = store === EMBEDDED ? 1 : 2
  const lent = options.open === undefined ? await lendStorage(store, count) : null
  const fresh = lent ?? (await store.fresh())
  const shared: TestStore = { ...store, fresh: async () => ({ env: fresh.env, remove: async () => {} }) }
  const apps: TestApp[] = []
  try {
    for (let i = 0; i < count; i++) {
      const opened = lent?.storages[i]
      // Instances of one service have one public address, whichever of them a request reaches.
      const address = i === 0 ? {} : { NATIVE_SERVICE_PUBLIC_BASE_URL: apps[0].client.origin }
      const env = { ...address, ...options.env }
      apps.push(await startTestApp({ ...options, env, store: shared, ...(opened === undefined ? {} : { open: async () => opened }) }))
    }
    const [app] = apps
    const admin = await bootstrap(app.client)
    await run({
      app,
      apps,
      admin,
      scope: new Tenancy(app.service.storage).of(admin.organizationId),
      at: (index) => atOrigin(admin, apps[index % apps.length].client),
    })
  } finally {
    for (const app of apps) await app.close()
    await fresh.remove()
  }
}

/** The actor, at the instance of that client. */
export function atOrigin({ token }: Actor, { origin }: Client): Client {
  return new Client(origin).as({ token })
}
