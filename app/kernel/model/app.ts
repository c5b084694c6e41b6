import type Router from '@koa/router'
import type Koa from 'koa'
import type { ErrorDefinition } from '../errors/errors.ts'
import type { AppConfig } from './app-config.ts'
import type { Instruction } from './instruction.ts'
import type { Listening } from './listening.ts'
import type { Logger } from './logger.ts'
import type { HookLookup, Plugin } from './plugin.ts'
import type { Store } from './provider.ts'
import type { Registry } from './resource-type.ts'
import type { ApiResponse } from './response.ts'
import type { Server } from './server.ts'

export interface App extends Listening, HookLookup {
  readonly config: AppConfig
  readonly koa: Koa
  /** Those that are on, in the order of the list. */
  readonly plugins: readonly Plugin[]
  readonly registry: Registry
  readonly servers: readonly Server[]
  readonly store: Store
  readonly logger: Logger | null
  /** The catalogue: errors of the kernel and of the plugins. */
  readonly errors: readonly ErrorDefinition[]
  /** Runs an operation for the program itself and returns the answer unrendered. */
  dispatch(instruction: Instruction): Promise<ApiResponse>
  /** The routes of a server that is placed by hand, for a router of the program's own. */
  routes(server?: string): ReturnType<Router['routes']>
  /** Begins what runs beside requests; the database is prepared. */
  start(): Promise<void>
  close(): Promise<void>
}
