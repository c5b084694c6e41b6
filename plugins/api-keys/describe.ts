import type { ResourceType } from '#kernel/plugin'
import type { OpenApiDraft } from '#openapi'
import { apiKeyScopeUnknown } from './errors.ts'

/** Describes `meta.key` of created keys, and the error of unknown scopes. */
export function describeKeys(draft: OpenApiDraft, issuesKeys: (type: ResourceType) => boolean): void {
  for (const { type, meta } of draft.resources) if (issuesKeys(type)) meta.key = key
  for (const operation of draft.operations) {
    const { kind, type } = operation
    if (type && issuesKeys(type) && (kind === 'Create' || kind === 'Update')) {
      operation.addErrors(422, apiKeyScopeUnknown.definition)
    }
  }
}

const key = { type: 'string', description: 'The API key; only in the response of its creation.' }
