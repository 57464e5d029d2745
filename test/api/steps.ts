/** What tests of accounts have in common. */
import assert from 'node:assert/strict'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.js'
import type { Answer, Refusal } from '../support/client.js'
import { EMBEDDED, REPLICA_SET, type TestStore } from '../support/stores.js'

/**
 * Whatever happens at once is tried on all of them: each decides in a way of its own. None when the suite runs once more on one store, as the first
 * time has tried them all.
 */
export const ALL_STORES: readonly TestStore[] = process.env.TEST_STORE === undefined ? [EMBEDDED, REPLICA_SET] : []

export const SIGNUP = { NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' }
/** With it a test may come from any address. */
export const PROXIED = { NATIVE_SERVICE_TRUSTED_PROXIES: '127.0.0.1,::1' }

/** A call that comes from there. */
export const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } })

/** Holds that it was refused just so. */
export function refused(answer: Answer<unknown>, status: number, code: string): Refusal {
  assert.equal(answer.status, status, answer.text)
  const refusal = answer.body as Refusal
  assert.equal(refusal.code, code)
  return refusal
}

/** All that is stored, as text. */
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
 * A clock that goes as the real one, from the middle of the next month on: what is counted by the month does not begin anew in the middle of a test, and
 * nothing that is stored is of a time that has gone by, which the store would remove.
 */
export function midMonth(): () => number {
  const begun = Date.now()
  const now = new Date(begun)
  const away = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15) - begun
  return () => Date.now() + away
}

/** Looks again for a minute, for what happens after the answer. */
export async function waitFor<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let at = 0; at < 3000; at++) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('it does not come')
}
