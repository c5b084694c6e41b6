import type { Batch, BatchResult } from './batch-types.ts'
import type { ApiError, Outcome } from './errors.ts'
import type { Methods } from './methods.ts'
import type { WriteOptions } from './queries.ts'
import type { Part, RelationsOf, TypeName } from './rows.ts'
import type { ApiSchema, Operation } from './schema.ts'

/** A client of an API: `api.albums.list()`. Members that are not types begin with `$`. */
export type Client<Api extends ApiSchema> = {
  readonly [Type in TypeName<Api['types']>]: Pick<Methods<Api['types'], Type>, MethodName<Api['types'], Type>>
} & {
  /** Sends the operations in one transaction. Returns the rows of the references that the function returns. */
  $batch<Result>(
    build: (batch: Batch<Api['types']>) => Result,
    options?: WriteOptions,
  ): Promise<BatchResult<Api['types'], Result>>
  /** Whether a caught value is an error response of the API. */
  $isError(error: unknown): error is ApiError<Api['errors']>
  /** Returns the error of a request instead of throwing it. Other errors, as of the network, are thrown. */
  $attempt<Value>(request: PromiseLike<Value>): Promise<Outcome<Value, Api['errors']>>
}

/** The methods that a type has. */
export type MethodName<Types, Type> =
  | (Part<Types, Type, 'operations'> & Operation)
  | (Part<Types, Type, 'singular'> extends infer Filters ? ([keyof Filters] extends [never] ? never : 'find') : never)
  | ([keyof RelationsOf<Types, Type>] extends [never]
      ? never
      : 'related' | 'linkage' | 'add' | 'replace' | 'removeFrom')
  | ([keyof Part<Types, Type, 'actions'>] extends [never] ? never : 'action')
  | 'ref'
