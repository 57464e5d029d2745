/** Bare Koa that parses the body and answers so many bytes: `node bare-target.js BYTES`. */
import { createServer } from 'node:http'
import Koa from 'koa'
import { listen } from '../../server/http/server.js'

const answer = Buffer.from(JSON.stringify({ answer: 'x'.repeat(Math.max(0, Number(process.argv[2]) - '{"answer":""}'.length)) }))
const koa = new Koa()
koa.use(async (ctx) => {
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input?: unknown }
  ctx.type = 'application/json'
  ctx.status = body.input === undefined ? 422 : 200
  ctx.body = answer
})
process.send?.(await listen(createServer(koa.callback()), 0, '127.0.0.1'))
