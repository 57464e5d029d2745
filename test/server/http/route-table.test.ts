/** Finding the route of a path. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { RouteTable } from '../../../server/http/route-table.js'

function table(...routes: readonly string[]): RouteTable<string> {
  const made = new RouteTable<string>()
  for (const route of routes) {
    const [method, path] = route.split(' ')
    made.add(method as 'GET', path, route)
  }
  return made
}

/** As plain data, because objects of the router have no prototype. */
const find = (routes: RouteTable<string>, method: string, path: string): unknown => JSON.parse(JSON.stringify(routes.find(method, path)))

test('a literal segment is preferred, and a parameter is tried where it leads nowhere', () => {
  const routes = table('GET /a/{x}/c', 'GET /a/b/{y}', 'GET /a/b/d', 'GET /a/{x}/{z}/e')
  assert.deepEqual(find(routes, 'GET', '/a/b/d'), { value: 'GET /a/b/d', params: {} })
  assert.deepEqual(find(routes, 'GET', '/a/b/c'), { value: 'GET /a/b/{y}', params: { y: 'c' } })
  assert.deepEqual(find(routes, 'GET', '/a/q/c'), { value: 'GET /a/{x}/c', params: { x: 'q' } })
  assert.deepEqual(find(routes, 'GET', '/a/b/c/e'), { value: 'GET /a/{x}/{z}/e', params: { x: 'b', z: 'c' } })
  assert.equal(find(routes, 'GET', '/a/q/r'), null)
  assert.equal(find(routes, 'GET', '/a//c'), null)
})

test('parameters may have different names under different methods', () => {
  const routes = table('GET /a/{x}', 'DELETE /a/{y}')
  assert.deepEqual(find(routes, 'DELETE', '/a/1'), { value: 'DELETE /a/{y}', params: { y: '1' } })
  assert.deepEqual(find(routes, 'PUT', '/a/1'), { allow: ['DELETE', 'GET', 'HEAD', 'OPTIONS'] })
})

test('a literal path does not have the methods of a parameter in its place', () => {
  const routes = table('GET /a/{x}', 'DELETE /a/{x}', 'POST /a/run', 'GET /a/{x}/b', 'PATCH /a/{y}')
  for (const method of ['GET', 'DELETE', 'PATCH', 'PUT', 'HEAD', 'OPTIONS']) assert.deepEqual(find(routes, method, '/a/run'), { allow: ['OPTIONS', 'POST'] }, method)
  assert.deepEqual(find(routes, 'POST', '/a/run'), { value: 'POST /a/run', params: {} })
  assert.deepEqual(find(routes, 'GET', '/a/run/b'), { value: 'GET /a/{x}/b', params: { x: 'run' } })
  assert.deepEqual(find(routes, 'PATCH', '/a/runs'), { value: 'PATCH /a/{y}', params: { y: 'runs' } })
  assert.deepEqual(find(routes, 'POST', '/a/runs'), { allow: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH'] })
  assert.throws(() => routes.add('GET', '/b', 'late'), TypeError)
  assert.throws(() => table('GET /a/{x}', 'GET /a/{y}'), TypeError)
})

test('an encoded slash does not separate segments, and malformed percent encoding is an error', () => {
  const routes = table('GET /a/{x}')
  assert.deepEqual(find(routes, 'GET', '/a/b%2Fc'), { value: 'GET /a/{x}', params: { x: 'b/c' } })
  assert.throws(() => find(routes, 'GET', '/a/%'), URIError)
})

test('property names of JavaScript objects are not routes', () => {
  const routes = table('GET /a')
  for (const path of ['/__proto__', '/constructor', '/toString', '', '/', '//a']) assert.equal(find(routes, 'GET', path), null, path)
})
