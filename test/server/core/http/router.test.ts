/** Finding the route of a path. */
import assert from 'node:assert/strict'
import test from 'node:test'
import Router from '@koa/router'
import { ApiError } from '../../../../server/core/errors.js'
import type { Context, Middleware } from '../../../../server/core/http/request-state.js'
import { byMethod, routed } from '../../../../server/core/http/router.js'

function table(...routes: readonly string[]): Middleware {
  const paths = new Map<string, Map<string, Middleware>>()
  for (const route of routes) {
    const [method, path] = route.split(' ')
    const methods = paths.get(path) ?? new Map<string, Middleware>()
    methods.set(method, (ctx) => ({ value: route, params: ctx.params }))
    paths.set(path, methods)
  }
  return routed(new Map(Array.from(paths, ([path, methods]) => [path, byMethod(methods)])))
}

/** What the route answers, the methods of a refusal, or the reason of another one; null: no route has the path. */
async function find(routes: Middleware, method: string, path: string): Promise<unknown> {
  const ctx = { method, path, host: '', request: {}, state: { headers: {} }, req: {}, res: { headersSent: true } } as unknown as Context
  try {
    const answer: unknown = await (routes as (ctx: Context, next: () => Promise<null>) => unknown)(ctx, () => Promise.resolve(null))
    return answer === undefined ? ctx.state.headers.Allow : answer
  } catch (error) {
    if (error instanceof ApiError) return error.headers.Allow ?? error.reason
    throw error
  }
}

test('a literal segment is preferred, and a parameter is tried where it leads nowhere', async () => {
  const routes = table('GET /a/{x}/c', 'GET /a/b/{y}', 'GET /a/b/d', 'GET /a/{x}/{z}/e')
  assert.deepEqual(await find(routes, 'GET', '/a/b/d'), { value: 'GET /a/b/d', params: {} })
  assert.deepEqual(await find(routes, 'GET', '/a/b/c'), { value: 'GET /a/b/{y}', params: { y: 'c' } })
  assert.deepEqual(await find(routes, 'GET', '/a/q/c'), { value: 'GET /a/{x}/c', params: { x: 'q' } })
  assert.deepEqual(await find(routes, 'GET', '/a/b/c/e'), { value: 'GET /a/{x}/{z}/e', params: { x: 'b', z: 'c' } })
  for (const other of ['/a/q/r', '/a//c', '/a/b/d/', '/A/b/d', '/a/b', '//a/b/d']) assert.equal(await find(routes, 'GET', other), null, other)
})

test('a literal path does not have the methods of a parameter in its place', async () => {
  const routes = table('GET /a/{x}', 'DELETE /a/{x}', 'POST /a/run', 'GET /a/{x}/b')
  for (const method of ['GET', 'DELETE', 'PATCH', 'PUT', 'HEAD', 'OPTIONS', 'PROPFIND']) assert.equal(await find(routes, method, '/a/run'), 'OPTIONS, POST', method)
  assert.deepEqual(await find(routes, 'POST', '/a/run'), { value: 'POST /a/run', params: {} })
  assert.deepEqual(await find(routes, 'HEAD', '/a/run/b'), { value: 'GET /a/{x}/b', params: { x: 'run' } })
  assert.deepEqual(await find(routes, 'DELETE', '/a/runs'), { value: 'DELETE /a/{x}', params: { x: 'runs' } })
  assert.equal(await find(routes, 'POST', '/a/runs'), 'DELETE, GET, HEAD, OPTIONS')
  assert.throws(() => table('GET /a/{x}', 'DELETE /a/{y}'), TypeError)
})

test('percent encoding is read once, separates no segments, and must be well formed', async () => {
  const routes = table('GET /a/{x}', 'GET /.b')
  for (const [sent, x] of Object.entries({ 'b%2Fc': 'b/c', '%2525': '%25', '%c3%A9': 'é', '%3f%23': '?#', '$&+,:;=@': '$&+,:;=@', '%2e': '.' })) {
    assert.deepEqual(await find(routes, 'GET', `/a/${sent}`), { value: 'GET /a/{x}', params: { x } })
  }
  assert.deepEqual(await find(routes, 'GET', '/%61/%62'), { value: 'GET /a/{x}', params: { x: 'b' } })
  assert.deepEqual(await find(routes, 'GET', '/%2eb'), { value: 'GET /.b', params: {} })
  assert.equal(await find(routes, 'GET', '/a%2Fb'), null)
  for (const bad of ['/a/%', '/%zz', '/a/%c3/%28', '/%F0%9F%98/x']) assert.equal(await find(routes, 'GET', bad), 'path_malformed', bad)
})

test('a segment of more than 2,048 characters has no route, nor has a path of very many segments', async () => {
  const routes = table('GET /a/{x}', 'GET /a/{x}/{y}/{z}')
  const [long, longer] = [2048, 2049].map((length) => 'y'.repeat(length))
  assert.deepEqual(await find(routes, 'GET', `/a/${long}`), { value: 'GET /a/{x}', params: { x: long } })
  assert.deepEqual(await find(routes, 'GET', `/a/%79${long.slice(1)}`), { value: 'GET /a/{x}', params: { x: long } })
  assert.deepEqual(await find(routes, 'GET', `/a/${long}/${long}/${long}`), { value: 'GET /a/{x}/{y}/{z}', params: { x: long, y: long, z: long } })
  for (const path of ['/'.repeat(3000), '/%20'.repeat(17)]) assert.equal(await find(routes, 'GET', path), 'route_missing')
  for (const path of [`/a/${longer}`, `/a/%79${long}`, `/${longer}/b`]) assert.equal(await find(routes, 'GET', path), 'route_missing')
})

test('property names of JavaScript objects are not routes', async () => {
  const routes = table('GET /a')
  for (const path of ['/__proto__', '/constructor', '/toString', '', '/', '//a', '*']) assert.equal(await find(routes, 'GET', path), null, path)
})

/** Then a mismatch ends an expression after one pass over the path: no part of it can match what another part has read. */
test("the router's expressions of our paths are literals, and parameters that end at the next slash", () => {
  const [{ regexp }] = new Router({ sensitive: true, strict: true }).all('/a-b/:x/c_d/.e/:y', () => {}).stack
  assert.equal(regexp.source, '^(?:\\/a-b\\/([^\\/]+)\\/c_d\\/\\.e\\/([^\\/]+))$')
  assert.equal(regexp.flags, '')
})
