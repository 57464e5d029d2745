/** The whole service, in this process, on a store of its own and over real HTTP. */
import { type AnalysisPool, createAnalysisPool } from '#workers'
import { startService } from '../../server/app.js'
import { argon2Hasher } from '../../server/core/auth/password.js'
import { type Config, readConfig } from '../../server/core/config.js'
import { createLog } from '../../server/core/observability/log.js'
import { FakeMail } from './fake-mail.js'
import type { Storage } from '../../server/core/storage/contract.js'
import type { Service, ServiceOptions } from '../../server/service.js'
import { atEnd } from './at-end.js'
import { Client } from './client.js'
import { openDoor } from './door.js'
import { lendStorage } from './lent-storage.js'
import { nothingLent } from './lent.js'
import { DEFAULT_STORE, type TestStore } from './stores.js'

export interface TestApp {
  readonly client: Client
  readonly service: Service
  readonly mail: FakeMail
  /** Lines of the log, as they were written. */
  readonly log: readonly string[]
  close(): Promise<void>
}

export interface TestAppOptions
  extends Pick<ServiceOptions, 'clock' | 'acceptNewSecretKey' | 'openers' | 'readTxt' | 'resolve' | 'oidc' | 'billing' | 'wings' | 'playgroundFolder'> {
  readonly store?: TestStore
  /** Settings, with their prefix. */
  readonly env?: Readonly<Record<string, string>>
  /** A pool of its own; the default is one for all services of a test process. */
  readonly pool?: AnalysisPool
  /** Opens the store, in place of the service; it is closed after it. */
  readonly open?: (config: Config) => Promise<Storage>
}

/** A second and five of them would be most of what some tests take. Long enough that looks are no burden. */
const POLL_MS = { jobs: 100, streams: 250 } as const
/** What shall not happen is waited for as long as so many looks for jobs. */
export const SEVERAL_POLLS_MS = 5 * POLL_MS.jobs

/** Argon2id at a fortieth of the cost that the service has: full cost would be much of the time of tests that create many users. */
const CHEAP = argon2Hasher({ memoryCost: 1024, timeCost: 1, parallelism: 1 })

/** No test of another thing may fail because a busy machine takes its time over an analysis. */
const TASK_MS = 25_000

/** How many services are behind the address of one, each with its own memory on one store: `TEST_INSTANCES=2` finds what they should share and do not. */
const INSTANCES = Number(process.env.TEST_INSTANCES ?? 1)

/** A test that names the store in the settings has one of its own. */
const STORE_SETTINGS = ['NATIVE_SERVICE_DATA_DIR', 'NATIVE_SERVICE_MONGODB_URL']

let shared: AnalysisPool | null = null

/** One pool for all services of a test process: a pool takes most of a second to start. */
export function sharedPool(): AnalysisPool {
  if (shared === null) {
    const pool = createAnalysisPool({ workers: 1, taskTimeoutMs: TASK_MS })
    shared = pool
    atEnd(async () => {
      await nothingLent(pool)
      await pool.close()
    })
  }
  return shared
}

/**
 * Starts a service. Every answer is checked against its declaration. Limits of routes are off unless `env` says otherwise: tests send many requests.
 */
export async function startTestApp({
  store = DEFAULT_STORE,
  env = {},
  pool,
  clock,
  open,
  openers,
  readTxt,
  resolve,
  oidc,
  billing,
  wings,
  playgroundFolder,
  acceptNewSecretKey = false,
}: TestAppOptions = {}): Promise<TestApp> {
  const isOwn = open !== undefined || STORE_SETTINGS.some((setting) => setting in env)
  const lent = isOwn ? null : await lendStorage(store, INSTANCES)
  const fresh = lent ?? (await store.fresh())
  const config = readConfig({ NATIVE_SERVICE_PORT: '0', NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'false', ...fresh.env, ...env })
  const log: string[] = []
  const mail = new FakeMail()
  const opened = await open?.(config)
  const door = INSTANCES > 1 ? await openDoor(INSTANCES) : null
  const services: Service[] = []
  const close = async (): Promise<void> => {
    await door?.close()
    // Together, as processes end: each waits for what the others ask it.
    await Promise.all(services.map((service) => service.close()))
    await opened?.close()
    await fresh.remove()
  }
  try {
    for (let number = 1; number <= INSTANCES; number++) {
      const storage = lent?.storages[number - 1] ?? opened
      services.push(
        await startService(config, {
          log: createLog(config, { write: (line: string) => void log.push(line) }),
          pool: pool ?? sharedPool(),
          mail,
          checkResponses: true,
          pollMs: POLL_MS,
          hasher: CHEAP,
          acceptNewSecretKey,
          ownProcess: door?.ownProcess(number) ?? null,
          ...(clock === undefined ? {} : { clock }),
          ...(storage === undefined ? {} : { storage }),
          ...(openers === undefined ? {} : { openers }),
          ...(readTxt === undefined ? {} : { readTxt }),
          ...(resolve === undefined ? {} : { resolve }),
          ...(oidc === undefined ? {} : { oidc }),
          ...(billing === undefined ? {} : { billing }),
          ...(wings === undefined ? {} : { wings }),
          ...(playgroundFolder === undefined ? {} : { playgroundFolder }),
        }),
      )
    }
  } catch (error) {
    await close()
    throw error
  }
  const [service] = services
  return {
    client: new Client(service.url),
    service,
    mail,
    log,
    close,
  }
}
