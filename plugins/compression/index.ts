import { Readable, Stream } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Joi from 'joi'
import type Koa from 'koa'
import compress from 'koa-compress'
import { addVary, type Plugin } from '#kernel/plugin'
import { hideEncodings, showEncoding } from './encoded-entity-tags.ts'

/** Compresses responses above COMPRESSION_THRESHOLD bytes, in an encoding that the client accepts. 0 disables it. */
export function compression(): Plugin {
  return {
    name: 'compression',
    environment: { COMPRESSION_THRESHOLD: Joi.number().integer().min(0).default(1024) },

    middleware({ config }) {
      const threshold = Number(config.variables.COMPRESSION_THRESHOLD ?? 0)
      if (threshold === 0) return null
      const compressed = compress({ threshold })
      return (ctx, next) => {
        const { 'if-none-match': sent = '', 'if-match': match } = ctx.headers
        if (sent !== '' || match !== undefined) hideEncodings(ctx)
        if (ctx.headers['accept-encoding'] !== undefined) return compressBody(compressed, ctx, next, sent)
        addVary(ctx, 'Accept-Encoding')
        return next()
      }
    },
  }
}

async function compressBody(compressed: Koa.Middleware, ctx: Koa.Context, next: Koa.Next, sent: string): Promise<void> {
  acceptIdentity(ctx)
  let isStreamed = false
  await compressed(ctx.method === 'HEAD' ? asGet(ctx) : ctx, async () => {
    await next()
    isStreamed = ctx.body instanceof Stream
  })
  // A buffer is counted by MAX_UNREAD_BYTES; the stream would keep the whole document for a slow client without being counted.
  if (!isStreamed && ctx.body instanceof Readable) ctx.body = await buffer(ctx.body)
  showEncoding(ctx, sent)
}

/** koa-compress skips HEAD, whose headers are those of GET. Koa sends no body. */
function asGet(ctx: Koa.Context): Koa.Context {
  const request = Object.create(ctx.request, { method: { value: 'GET' } })
  return Object.create(ctx, { request: { value: request } })
}

/**
 * koa-compress fails if the client accepts no encoding at all: `identity;q=0`. Such a response is sent uncompressed, as
 * RFC 9110, 12.5.3 allows. Invalid entries are ignored: their weights could exclude identity as well.
 */
function acceptIdentity({ headers }: Koa.Context): void {
  const sent = headers['accept-encoding'] as string
  if (!sent.includes(';')) return // nothing is excluded
  const entries = sent.split(',').filter((entry) => weighted.test(entry))
  headers['accept-encoding'] = ['identity;q=0.001', ...entries].join()
}

const weighted = /^\s*[\w*-]+\s*(?:;\s*q=[01](?:\.\d*)?\s*)?$/i
