/** What a change has made outdated is forgotten in all processes before the change is answered. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { Forgetting, type Others } from '../../../server/tenancy/forgetting.js'

type Answering = Parameters<Others['answer']>[1]

/** Processes whose questions reach the others in this process. @param unreachable numbers that do not answer */
function processes(count: number, unreachable: readonly number[] = []): { readonly forgetting: readonly Forgetting[]; readonly forgotten: readonly string[][] } {
  const answering = new Map<string, (question: unknown) => Promise<unknown>>()
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const forgotten = numbers.map((): string[] => [])
  const forgetting = numbers.map((own) => {
    const one = new Forgetting()
    one.join({
      others: numbers.filter((number) => number !== own),
      ask: (number, kind, question) => (unreachable.includes(number) ? Promise.reject(new Error('gone')) : answering.get(`${number} ${kind}`)!(question)),
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
  const { forgetting, forgotten } = processes(3, [2])
  const [forget] = forgetting.map((one, index) => one.topic<string>('plans', (value) => forgotten[index].push(value)))
  await forget('a')
  assert.deepEqual(forgotten, [['a'], [], ['a']])
})

test('a single process forgets alone', async () => {
  const forgotten: string[] = []
  await new Forgetting().topic<string>('plans', (value) => forgotten.push(value))('a')
  assert.deepEqual(forgotten, ['a'])
})
