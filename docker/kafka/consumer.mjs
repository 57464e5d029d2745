// Sends the events of a Kafka topic to the batch, and prints those that alert. `npm install @platformatic/kafka`, then
//   API=http://localhost:8080/api/v1 KEY=… BROKERS=localhost:9092 TOPIC=logs node consumer.mjs
import { Consumer, stringDeserializers } from '@platformatic/kafka'

const { API, KEY, BROKERS = 'localhost:9092', TOPIC = 'logs', GROUP = 'detection' } = process.env
// A consumer that takes the place of one that was killed waits for the end of its session: a request has to be allowed to take longer.
const limits = { sessionTimeout: 20_000, heartbeatInterval: 3_000, requestTimeout: 90_000 }
const consumer = new Consumer({ groupId: GROUP, clientId: GROUP, bootstrapBrokers: BROKERS.split(','), deserializers: stringDeserializers, ...limits })
const stream = await consumer.consume({ topics: [TOPIC], mode: 'committed', fallbackMode: 'earliest', autocommit: false })
const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/x-ndjson' }
let batch = []
for await (const message of stream) {
  batch.push(message)
  // A batch ends when nothing more has come, so an event waits only for the batch before it.
  if (batch.length < 1000 && stream.readableLength > 0) continue
  const lines = ['{"select": "line,rule.id,level,rule.description,srcip", "only": "alerts"}', ...batch.map(({ value }) => JSON.stringify({ event: value }))]
  const answer = await fetch(`${API}/analysis/logtest-batch`, { method: 'POST', headers, body: lines.join('\n') })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  process.stdout.write(await answer.text())
  // Only what was answered is committed: after a crash the last batch is sent again.
  const last = new Map(batch.map((one) => [one.partition, one]))
  for (const one of last.values()) await one.commit()
  batch = []
}
