import type { DescribedOperation, OperationKind } from '#kernel'
import type { OpenApiOptions } from './options.ts'

/** What the type's own function says of an operation, else its declaration, else what plugins put together. */
export function describe(operation: DescribedOperation, _options: OpenApiOptions): string {
  const { kind, type, relation, object } = operation
  const { describeOperation, descriptions } = type?.declaration ?? {}
  const said = kind && describeOperation?.(kind, relation?.name)
  return said ?? (kind && descriptions?.[kind as OperationKind]) ?? object.description
}
