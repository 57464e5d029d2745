/** A process that the system refuses to start does not end the supervisor. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Log } from '../../../server/core/observability/log.js'
import { type ProcessEvents, ServedProcess } from '../../../server/cluster/served-process.js'
import { recordingLog } from '../../support/recording-log.js'

const nothing = (): void => {}
const EVENTS: ProcessEvents = { onServing: nothing, onReady: nothing, onTaken: nothing, onClosed: nothing, onEnded: nothing }

/** Starts a process with a program that cannot be executed. */
async function startWith(execPath: string, isOnce: boolean) {
  const entries: unknown[] = []
  const served = new ServedProcess(1, { main: 'main.js', args: [], folder: 'none', address: 'none' }, recordingLog(entries) as Log, EVENTS)
  const { execPath: own } = process
  process.execPath = execPath
  try {
    const code = await served.start(isOnce)
    assert.notEqual(code, null)
    assert.notEqual(code, 0)
  } finally {
    process.execPath = own
  }
  return { served, entries }
}

// The first reason is told by an event, the second one is thrown.
for (const [reason, execPath] of [
  ['is absent', '/nonexistent/node'],
  ['is no program', `${process.execPath}/node`],
] as const) {
  test(`a process whose program ${reason} is started again later`, async () => {
    const { served, entries } = await startWith(execPath, false)
    await new Promise((resolve) => setImmediate(resolve))
    assert.match(JSON.stringify(entries), /could not be reached or started.*it will be started again/)
    served.stop()
    assert.equal(await served.ended, 0)
  })

  test(`the first process, whose program ${reason}, is not started again`, async () => {
    const { served, entries } = await startWith(execPath, true)
    assert.notEqual(await served.ended, 0)
    assert.doesNotMatch(JSON.stringify(entries), /will be started again/)
  })
}
