import { Session } from 'node:inspector/promises'
import { compileRuleset, EventRunner, receiveEvent, runReceived, toByteString } from './dist/engine/index.js'
import { stockData, eventchannelInputs } from './dist/bench/engine/data.js'
import { MOMENT } from './dist/bench/engine/measure.js'
import { readFileSync } from 'node:fs'
const SECONDS = Number(process.argv[2] ?? 4)
const out = {}
for (const [kind, set] of [['sshd','default'],['json-cloud','default'],['cisco','default'],['web','default'],['other','default'],['event channel','default'],['windows-json','test']]) {
  const data = stockData(set)
  const runner = new EventRunner(compileRuleset(data.files))
  const inputs = kind === 'event channel' ? eventchannelInputs(6) : (data.lines.get(kind) ?? []).map((event) => ({ event, log_format: 'syslog' }))
  const events = inputs.flatMap((input) => { const r = receiveEvent(input); return r === null ? [] : [{ ...r, text: toByteString(input.event) }] })
  const bytes = events.reduce((s, e) => s + e.text.length, 0) / events.length
  const loop = (ms) => { const end = performance.now() + ms; let n = 0; while (performance.now() < end) for (let i = 0; i < events.length && i < 200; i++) { const e = events[(n++) % events.length]; runReceived(runner, { text: e.text, origin: e.origin, format: e.format }, MOMENT, null) } return n }
  loop(1500)
  const s = new Session(); s.connect()
  await s.post('Profiler.enable'); await s.post('Profiler.setSamplingInterval', { interval: 200 }); await s.post('Profiler.start')
  const u0 = process.cpuUsage(); const n = loop(SECONDS * 1000); const u = process.cpuUsage(u0)
  const { profile } = await s.post('Profiler.stop'); s.disconnect()
  const self = new Map(), nodes = new Map(profile.nodes.map((x) => [x.id, x]))
  let total = 0
  profile.samples.forEach((id, i) => { const c = nodes.get(id).callFrame; if (c.functionName === '(idle)' || c.functionName === 'loop') return; const k = `${c.functionName}@${c.url.split('/dist/')[1] ?? c.url}`; self.set(k, (self.get(k) ?? 0) + profile.timeDeltas[i]); total += profile.timeDeltas[i] })
  console.log(`\n## ${kind} ${events.length} lines, ${bytes.toFixed(0)} bytes, ${(u.user / n).toFixed(2)} us user/event`)
  for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 26)) console.log(`${(100 * v / total).toFixed(1).padStart(5)} ${k}`)
}
