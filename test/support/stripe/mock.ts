/** Stripe's own mock of its API, stripe-mock of ../shared/bin beside the checkout. Where it is not there, tests say so and are skipped. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout } from 'node:timers/promises'
import { freePort, guardOf } from '../child-servers.js'

const PROGRAM = join(fileURLToPath(new URL('../../../..', import.meta.url)), '../shared/bin/stripe-mock')
/** It unpacks itself the first time. */
const START_MS = 60_000
const PAUSE_MS = 50

export const STRIPE_MOCK_SKIP: string | false = existsSync(PROGRAM) ? false : 'there is no stripe-mock in ../shared/bin'

/** Starts one. @returns its address, and a function that ends it */
export async function startStripeMock(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(PROGRAM, ['-http-addr', `127.0.0.1:${port}`, '-https-addr', '127.0.0.1:0'], { stdio: 'ignore' })
  const guard = guardOf(child)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for (const until = Date.now() + START_MS; !(await answers(url)); await setTimeout(PAUSE_MS)) {
    if (Date.now() > until || child.exitCode !== null) throw new Error('stripe-mock did not start')
  }
  return {
    url,
    async close() {
      child.kill('SIGTERM')
      await ended
      guard.kill()
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}
