/** Which process gets a connection. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connections, type Taker } from '../../../server/cluster/connections.js'

class FakeSocket extends EventEmitter {
  destroyed = false
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

class FakeTaker implements Taker {
  isServing = true
  readonly given: { readonly connection: number; readonly socket: Socket }[] = []
  give(connection: number, socket: Socket): void {
    this.given.push({ connection, socket })
  }
}

const socket = (): Socket => new FakeSocket() as unknown as Socket

test('a connection goes to the process with the fewest, and counts until it is closed', () => {
  const [first, second] = [new FakeTaker(), new FakeTaker()]
  const connections = new Connections([first, second])
  for (let offered = 0; offered < 4; offered++) connections.offer(socket())
  assert.deepEqual([first.given.length, second.given.length], [2, 2])
  connections.closed(second)
  connections.closed(second)
  connections.offer(socket())
  connections.offer(socket())
  assert.deepEqual([first.given.length, second.given.length], [2, 4])
})

test('of processes with as many, the one gets it that was given none for the longest time', () => {
  const takers = [new FakeTaker(), new FakeTaker(), new FakeTaker()]
  const connections = new Connections(takers)
  for (const taker of [0, 1, 2, 0]) {
    connections.offer(socket())
    connections.closed(takers[taker])
  }
  assert.deepEqual(
    takers.map(({ given }) => given.length),
    [2, 1, 1],
  )
  // Each has one again, and those of the second and third are not known to be closed.
  for (let offered = 0; offered < 4; offered++) connections.offer(socket())
  assert.deepEqual(
    takers.map(({ given }) => given.map(({ connection }) => connection)),
    [
      [1, 4, 7],
      [2, 5, 8],
      [3, 6],
    ],
  )
})

test('a connection that was not taken goes to another process when the first one ends; a taken one does not', () => {
  const [first, second] = [new FakeTaker(), new FakeTaker()]
  const connections = new Connections([first, second])
  const [taken, lost] = [socket(), socket()]
  connections.offer(taken)
  second.isServing = false
  connections.offer(lost)
  assert.equal(first.given.length, 2)
  connections.taken(first.given[0].connection)
  assert.ok(taken.destroyed, "the supervisor's copy stays open")
  first.isServing = false
  second.isServing = true
  connections.ended(first)
  assert.deepEqual(
    second.given.map((given) => given.socket),
    [lost],
  )
  assert.ok(!lost.destroyed)
  assert.equal(connections.countOf(first), 0)
})

test('connections wait while no process serves, in order, and further ones replace the oldest', () => {
  const taker = new FakeTaker()
  taker.isServing = false
  const connections = new Connections([taker])
  const offered = Array.from({ length: 1100 }, socket)
  for (const each of offered) connections.offer(each)
  assert.deepEqual(
    offered.map(({ destroyed }) => destroyed),
    offered.map((_, index) => index < 1100 - 512),
  )
  offered[1100 - 512].destroy()
  taker.isServing = true
  connections.serves()
  assert.deepEqual(
    taker.given.map((given) => given.socket),
    offered.slice(1101 - 512),
  )
})

test('closing closes what waits and what is on the way', () => {
  const taker = new FakeTaker()
  const connections = new Connections([taker])
  const onTheWay = socket()
  connections.offer(onTheWay)
  taker.isServing = false
  const waiting = socket()
  connections.offer(waiting)
  connections.close()
  assert.ok(onTheWay.destroyed && waiting.destroyed)
})

test('a connection that a process never takes is closed after a while, and not given to another one', async () => {
  const [first, second] = [new FakeTaker(), new FakeTaker()]
  const connections = new Connections([first, second], 10)
  const [lost, taken] = [socket(), socket()]
  connections.offer(lost)
  connections.offer(taken)
  connections.taken(second.given[0].connection)
  // The timer alone keeps no process alive.
  for (let waited = 0; !lost.destroyed && waited < 5_000; waited += 10) await sleep(10)
  assert.ok(lost.destroyed)
  first.isServing = false
  connections.ended(first)
  assert.equal(second.given.length, 1)
})
