import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'node:test'
import { Client } from '../support/client.js'
import { SMALL_RULESET, startServiceProcess } from '../support/service-process.js'
import { EMBEDDED } from '../support/stores.js'

const METRICS_TOKEN = 'a-token-for-the-metrics-of-tests-long-enough'

test('a second signal, of the other kind as well, ends a service that is still finishing what runs', async () => {
  const fresh = await EMBEDDED.fresh()
  const service = await startServiceProcess({ ...fresh.env, ...SMALL_RULESET, NATIVE_SERVICE_METRICS_TOKEN: METRICS_TOKEN })
  const { hostname, port } = new URL(service.origin)
  // A request whose body never comes.
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    socket.write('POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{')
    socket.on('error', () => undefined)
    const client = new Client(service.origin)
    // This one, and the one that asks.
    const requests = async (): Promise<string> => /^http_requests_in_flight (\d+)$/m.exec((await client.get(`${service.origin}/metrics`, { token: METRICS_TOKEN })).text)?.[1] ?? ''
    while ((await requests()) !== '2') await new Promise((resolve) => setTimeout(resolve, 20))
    const exited = once(service.child, 'exit') as Promise<[number | null, string | null]>
    service.child.kill('SIGTERM')
    while (!service.output().includes('"msg":"stopping"')) await new Promise((resolve) => setTimeout(resolve, 20))
    service.child.kill('SIGINT')
    const [code, signal] = await exited
    assert.deepEqual([code, signal], [null, 'SIGINT'])
  } finally {
    socket.destroy()
    await service.stop('SIGKILL')
    await fresh.remove()
  }
})

test('a service whose log nobody reads any more goes on, and ends when it is told to', { timeout: 120_000 }, async () => {
  const fresh = await EMBEDDED.fresh()
  const service = await startServiceProcess({ ...fresh.env, ...SMALL_RULESET })
  try {
    service.child.stdout?.destroy()
    // Too few lines to be written before the stop.
    for (let sent = 0; sent < 3; sent++) assert.equal((await fetch(`${service.origin}/livez`)).status, 200)
    assert.equal(await service.stop('SIGTERM'), 0)
  } finally {
    await service.stop('SIGKILL')
    await fresh.remove()
  }
})
