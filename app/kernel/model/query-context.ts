import type { App } from './app.ts'
import type { RequestLimits } from './limits.ts'
import type { OperationKind } from './operation.ts'
import type { ApiRequest } from './request.ts'
import type { Server } from './server.ts'
import type { Target } from './target.ts'
import type { Visibility } from './visibility.ts'

/** What a query is read for, and for whom. */
export interface QueryContext {
  readonly app: App
  readonly server: Server
  readonly kind: OperationKind
  readonly target: Target
  /** Null when the program itself asks. */
  readonly request: ApiRequest | null
  /** What `hiddenFor` hides from the requester; null when nothing is. */
  readonly visibility: Visibility | null
  /** Names nobody knows are faults. */
  readonly strict: boolean
  /** How long its lists may be. A program is not limited. */
  readonly limits: RequestLimits
}
