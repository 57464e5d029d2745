/** What a change has made outdated is forgotten in all processes before the change is answered. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { Forgetting, type PeerGroup } from '../../../../server/core/tenancy/forgetting.js'

type Answering = Parameters<PeerGroup['answer']>[1]

/** Processes whose questions reach the others in this process. @param unreachable names that do not answer */
function processes(count: number, unreachable: readonly string[] = []): { readonly forgetting: readonly Forgetting[]; readonly forgotten: readonly string[][] } {
  const answering = new Map<string, (question: unknown) => Promise<unknown>>()
  const names = Array.from({ length: count }, (_, index) => String(index + 1))
  const forgotten = names.map((): string[] => [])
  const forgetting = names.map((own) => {
    const one = new Forgetting()
    one.join({
      names: names.filter((name) => name !== own),
      ask: (name, kind, question) => (unreachable.includes(name) ? Promise.reject(new Error('gone')) : answering.get(`${name} ${kind}`)!(question)),
      answer: (kind, answer) => void answering.set(`${own} ${kind}`, answer as Answering),
    })
    return one
  })
  return { forgetting, forgotten }
}

test('here at once, and in every process before it resolves', async () => {
  const { forgetting, forgotten } = processes(3)
  const [forget] = forgetting.map((one, index) => one.topic<string>('plans', (value) => forgotten[index].push(value)))
  const told = forget('a')
  assert.deepEqual(forgotten[0], ['a'])
  await told
  assert.deepEqual(forgotten, [['a'], ['a'], ['a']])
})

test('a process that has ended prevents no change', async () => {
  const { forgetting, forgotten } = processes(3, ['2'])
  const [forget] = forgetting.map((one, index) => one.topic<string>('plans', (value) => forgotten[index].push(value)))
  await forget('a')
  assert.deepEqual(forgotten, [['a'], [], ['a']])
})

test('a single process forgets alone', async () => {
  const forgotten: string[] = []
  await new Forgetting().topic<string>('plans', (value) => forgotten.push(value))('a')
  assert.deepEqual(forgotten, ['a'])
})
