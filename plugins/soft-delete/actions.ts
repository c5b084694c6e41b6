import { ApiError, conflict } from '#kernel/errors'
import { planOperation, runBeforeSave } from '#kernel/operations'
import type { Context, Operation, ResourceType, Row } from '#kernel/plugin'
import { createQuery } from '#kernel/queries'
import { type ActionDefinition, data, noContent } from '#plugins/actions/index.ts'
import { isTaken } from '#query'
import { deletionProperty, isTrashed } from './compile.ts'
import { resourceNotTrashed, restoreConflict } from './errors.ts'
import type { Trash } from './trash.ts'

/** The actions that find trashed rows, and the abilities that they need. */
export const trashActions: readonly string[] = ['restore', 'forceDelete']

/** The actions of a type with soft deletes. */
export function createActions(type: ResourceType, trash: Trash): readonly ActionDefinition[] {
  const property = deletionProperty(type) as string
  const persister = type.persister as Required<ResourceType['persister']> // checked at boot
  /** Trashed rows as well, within the scope of the policy; null if the requester may not know that the row exists. */
  const findSubject: ActionDefinition['findSubject'] = async ({ target, context }) => {
    const key = type.codec.decode(target.id ?? '')
    if (key === undefined) return null
    await context.unit.saveEntities() // changes of hooks would be discarded
    const subject = await type.persister.load(type, key, trash.withTrashed(context))
    const ability = target.action?.ability as string
    return subject && (await trash.reveals(type, subject, ability, context)) ? subject : null
  }
  return [
    {
      name: 'restore',
      event: 'Restore',
      answers: 'data',
      asLink: true,
      offersLink: (row) => isTrashed(type, row),
      description: 'Undoes the deletion. The resource has its relationships again.',
      findSubject,
      async handle({ subject, context }) {
        ;(subject as Row)[property] = null
        await saveRestored(type, subject, context)
        return data(subject)
      },
    },
    {
      name: 'forceDelete',
      event: 'ForceDelete',
      answers: 'noContent',
      asLink: true,
      description:
        'Deletes the resource for good, also if it is in the trash, and removes it from to-many relationships.',
      findSubject,
      async handle({ subject, context }) {
        await persister.purge(type, subject, context)
        return noContent()
      },
    },
  ]
}

/**
 * Runs the checks that precede the actions: a restore needs a trashed row whose unique values are free, and a forced
 * deletion of a row that is not trashed is a deletion with its hooks.
 */
export async function checkAction(operation: Operation, subject: object): Promise<void> {
  const { context, target } = operation
  const { type, action } = target
  const wasTrashed = isTrashed(type, subject)
  if (action?.event === 'ForceDelete' && !wasTrashed) {
    const { action: _, ...deleted } = target
    const deleting = { kind: 'Delete', target: { ...deleted, kind: 'resource' }, query: createQuery({ type }) } as const
    const plan = planOperation(context.app, { ...operation, ...deleting }, deleting.query)
    const deletion: Operation = { ...operation, ...deleting, plan }
    await runBeforeSave(deletion, subject)
    context.rowChanges.addMember(deletion)
  }
  if (action?.event !== 'Restore') return
  if (!wasTrashed) throw resourceNotTrashed(readName(type, subject))
  for (const properties of type.uniques) {
    if (await isTaken(type, properties, subject, context)) throw restoreConflict(readName(type, subject))
  }
}

async function saveRestored(type: ResourceType, subject: object, context: Context): Promise<void> {
  try {
    await type.persister.flush(type, context, subject)
  } catch (error) {
    const isUniqueViolation = error instanceof ApiError && error.definition === conflict.definition
    throw isUniqueViolation ? restoreConflict(readName(type, subject)) : error
  }
}

function readName(type: ResourceType, subject: object) {
  return { type: type.name, id: type.codec.encode(type.persister.keyOf(type, subject)) }
}
