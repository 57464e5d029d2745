/** One page of metrics for several processes. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { mergePages } from '../../../server/cluster/metrics.js'

const page = (value: number): string =>
  `# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{route="/a b",status="200"} ${value}\n\n# HELP memory_bytes Memory.\n# TYPE memory_bytes gauge\nmemory_bytes ${value}\n`

test('samples of each process get its number, below one description of each metric', () => {
  const merged = mergePages(
    new Map([
      [2, page(20)],
      [1, page(10)],
    ]),
  )
  assert.equal(
    merged,
    `# HELP service_process_up 1: the process of the service answers.
# TYPE service_process_up gauge
service_process_up{process="1"} 1
service_process_up{process="2"} 1
# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{process="1",route="/a b",status="200"} 10
requests_total{process="2",route="/a b",status="200"} 20
# HELP memory_bytes Memory.
# TYPE memory_bytes gauge
memory_bytes{process="1"} 10
memory_bytes{process="2"} 20
`,
  )
})

test('a process that does not answer is down, and has no samples', () => {
  const merged = mergePages(
    new Map([
      [1, page(10)],
      [2, null],
    ]),
  )
  assert.match(merged, /^service_process_up\{process="2"\} 0$/m)
  assert.doesNotMatch(merged, /requests_total\{process="2"/)
})
