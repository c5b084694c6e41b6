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
  /** The enabled plugins, in the order of the list. */
  readonly plugins: readonly Plugin[]
  readonly registry: Registry
  readonly servers: readonly Server[]
  readonly store: Store
  readonly logger: Logger | null
  /** The error catalogue of the kernel and of the enabled plugins. */
  readonly errors: readonly ErrorDefinition[]
  /** Runs an operation on behalf of the program and returns the response without rendering it. */
  dispatch(instruction: Instruction): Promise<ApiResponse>
  /** Returns the routes of a server with `placedByHand`, to mount them on another router. */
  routes(server?: string): ReturnType<Router['routes']>
  /** Starts background work. The database must be migrated. */
  start(): Promise<void>
  close(): Promise<void>
}
