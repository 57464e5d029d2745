/**
 * Bare Koa that parses the body and answers what it is sent by its parent, in one of two forms: `node bare-target.js bytes|object`. As bytes that are there
 * before any request: the least that a server can do. As an object, which Koa prints for each request: the least that a handler does which makes its answer.
 */
import { createServer } from 'node:http'
import Koa from 'koa'
import { listen } from '../../server/http/server.js'

const answer = JSON.parse(await new Promise<string>((resolve) => process.once('message', resolve))) as object
const answered = process.argv[2] === 'object' ? answer : Buffer.from(JSON.stringify(answer))
const koa = new Koa()
koa.use(async (ctx) => {
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input?: unknown }
  ctx.type = 'application/json'
  ctx.status = body.input === undefined ? 422 : 200
  ctx.body = answered
})
process.send?.(await listen(createServer(koa.callback()), 0, '127.0.0.1'))
