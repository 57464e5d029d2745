/** Steps that tests of accounts share. */
import assert from 'node:assert/strict'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.js'
import type { Answer, Refusal } from '../support/client.js'
import { EMBEDDED, REPLICA_SET, type TestStore } from '../support/stores.js'

/**
 * Concurrent requests are tested on all stores, because each decides differently. None when the suite runs again on one store, because the first run has tested
 * them all.
 */
export const ALL_STORES: readonly TestStore[] = process.env.TEST_STORE === undefined ? [EMBEDDED, REPLICA_SET] : []

export const SIGNUP = { NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' }
/** With it a test may send requests from any address. */
export const PROXIED = { NATIVE_SERVICE_TRUSTED_PROXIES: '127.0.0.1,::1' }

/** A request from that address. */
export const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } })

/** Asserts the status and the code of a refusal. */
export function refused(answer: Answer<unknown>, status: number, code: string): Refusal {
  assert.equal(answer.status, status, answer.text)
  const refusal = answer.body as Refusal
  assert.equal(refusal.code, code)
  return refusal
}

/** Returns everything that is stored, as text. */
export async function stored({ service }: TestApp): Promise<string> {
  let text = ''
  for await (const record of service.storage.dump()) text += `${JSON.stringify(record)}\n`
  return text
}

export async function withApp(options: TestAppOptions, run: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await startTestApp(options)
  try {
    await run(app)
  } finally {
    await app.close()
  }
}

/**
 * A clock that runs like the real one, from the middle of the next month on: monthly counts do not restart during a test, and no stored document is in the
 * past, so that the store removes none.
 */
export function midMonth(): () => number {
  const begun = Date.now()
  const now = new Date(begun)
  const away = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15) - begun
  return () => Date.now() + away
}

/** Tries again for a minute, for effects after the answer. */
export async function waitFor<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let at = 0; at < 3000; at++) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('it does not come')
}
