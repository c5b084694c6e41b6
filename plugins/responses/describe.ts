import type { OperationKind } from '#kernel/plugin'
import type { DescribedOperation, DescribedSuccess, OpenApiDraft } from '#openapi'
import type { ResponseKey, SuccessResponse } from './responses.ts'

/** The key of a declaration by operation. */
export const keysByOperation: Readonly<Partial<Record<OperationKind, ResponseKey>>> = {
  Create: 'create',
  Update: 'update',
  Delete: 'delete',
  FetchOne: 'fetchOne',
  FetchCollection: 'fetchCollection',
}

/** Replaces the default success responses by the declared ones. Other plugins describe the responses that they add. */
export function describeResponses(
  { operations, refer }: OpenApiDraft,
  responsesOf: (type: NonNullable<DescribedOperation['type']>, key: ResponseKey) => readonly SuccessResponse[],
): void {
  for (const { kind, type, successes } of operations) {
    const key = kind && keysByOperation[kind]
    const declared = key && type ? responsesOf(type, key) : []
    if (declared.length === 0) continue
    const standard = [...successes.values()][0]
    successes.clear()
    for (const { response, status } of declared) {
      const success = describeSuccess(response, standard, refer)
      if (success) successes.set(status, success)
    }
  }
}

function describeSuccess(
  response: string,
  standard: DescribedSuccess | undefined,
  refer: OpenApiDraft['refer'],
): DescribedSuccess | undefined {
  switch (response) {
    case 'created':
    case 'ok':
      return standard
    case 'noContent':
      return { description: 'The write has succeeded.', ...(standard?.headers && { headers: standard.headers }) }
    case 'metaResult':
      return { description: 'The write has succeeded; the document has only `meta`.', schema: refer('MetaDocument') }
    default:
      return undefined
  }
}
