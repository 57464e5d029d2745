/**
 * A bare Koa server that parses the body and answers with a value from its parent process: `node bare-target.js bytes|object`. `bytes`: the response is
 * serialized before the first request, which is the minimum work of a server. `object`: Koa serializes it for each request, which is the minimum work of a handler.
 */
import { createServer } from 'node:http'
import Koa from 'koa'
import { listen } from '../../server/core/http/listen.js'

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
