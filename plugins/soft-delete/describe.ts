import type { OpenApiDraft } from '#openapi'
import { deletionProperty } from './compile.ts'
import { resourceNotTrashed, restoreConflict } from './errors.ts'

/** Describes `meta.trashed` and the conflicts of `restore`. The filter and the actions are described by their plugins. */
export function describeTrash({ operations, resources }: OpenApiDraft): void {
  for (const { type, meta } of resources) if (deletionProperty(type) !== null) meta.trashed = trashed
  for (const operation of operations) {
    const { action } = operation.route ?? {}
    if (action?.event !== 'Restore' || deletionProperty(action.type) === null) continue
    operation.addErrors(409, resourceNotTrashed.definition, restoreConflict.definition)
  }
}

const trashed = {
  type: 'boolean',
  const: true,
  description: 'The resource is deleted and can be restored; only if the filter `trashed` is sent.',
}
