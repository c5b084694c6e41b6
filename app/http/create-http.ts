import type { CreateHttp } from '#kernel/store'
import { runInRequest } from '#kernel/store'
import { logKoaError } from './http-server.ts'
import { createKoa } from './koa.ts'
import { createListening } from './listening.ts'

export const createHttp: CreateHttp = (config, { logger, clock }) => {
  const koa = createKoa(config)
  koa.on('error', (error, ctx) => runInRequest(ctx, () => logKoaError(logger, error)))
  return { koa, ...createListening(koa, config, clock) }
}
