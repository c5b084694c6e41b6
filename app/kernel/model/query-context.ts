import type { App } from './app.ts'
import type { RequestLimits } from './limits.ts'
import type { OperationKind } from './operation.ts'
import type { ApiRequest } from './request.ts'
import type { Server } from './server.ts'
import type { Target } from './target.ts'
import type { Visibility } from './visibility.ts'

/** The context in which query parameters are read. */
export interface QueryContext {
  readonly app: App
  readonly server: Server
  readonly kind: OperationKind
  readonly target: Target
  /** Null if the program dispatched the operation. */
  readonly request: ApiRequest | null
  /** What `hiddenFor` hides from the requester. Null if nothing is hidden. */
  readonly visibility: Visibility | null
  /** Whether unknown names are faults. */
  readonly strict: boolean
  /** The limits of lists. They do not apply to instructions of the program. */
  readonly limits: RequestLimits
}
