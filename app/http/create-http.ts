import type { CreateHttp } from '#kernel/store'
import { restoreRequestId } from '#kernel/store'
import { report } from './http-server.ts'
import { createKoa } from './koa.ts'
import { createListening } from './listening.ts'

/** The Koa instance and the HTTP server of an application. */
export const createHttp: CreateHttp = (config, { logger, clock }) => {
  const koa = createKoa(config)
  koa.on('error', (error, ctx) => restoreRequestId(ctx, () => report(logger, error)))
  return { koa, ...createListening(koa, config, clock) }
}
