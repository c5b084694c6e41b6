import { phrase, resourceNotFound } from '#kernel/errors'
import type { ApiRequest, Context, Operation, Plugin, ResourceMeta, ResourceType, Row } from '#kernel/plugin'
import { all, isNull, not } from '#kernel/queries'
import { addAction } from '#plugins/actions/index.ts'
import { type AddedFilter, addFilter } from '#plugins/filtering/index.ts'
import { checkAction, createActions, trashActions } from './actions.ts'
import { compileSoftDeletes, deletionProperty, isTrashed, softDeleteOf, softDeletesForm } from './compile.ts'
import { describeTrash } from './describe.ts'
import { resourceNotTrashed, restoreConflict } from './errors.ts'
import { neededBy } from './needed-by.ts'
import { Trash, trashedKey, trashedValues } from './trash.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /**
     * DELETE sets a time instead of deleting the row, which is invisible until it is restored. The property is `deletedAt`
     * unless `{ property }` names another: a nullable `datetime`.
     */
    readonly softDeletes?: boolean | { readonly property: keyof NoInfer<Entity> & string }
  }
}

export interface SoftDeleteOptions {
  /** The current time; tests pass their own. */
  readonly now?: () => Date
}

/** Soft deletes: DELETE moves a resource to the trash, the actions `restore` and `forceDelete` end its stay there. */
export function softDelete({ now = () => new Date() }: SoftDeleteOptions = {}): Plugin {
  const trash = new Trash()
  return {
    name: 'soft-delete',
    requires: ['filtering', 'actions'],
    keys: { softDeletes: softDeletesForm },
    errors: [resourceNotTrashed.definition, restoreConflict.definition],
    neededBy,

    onCompile(registry) {
      compileSoftDeletes(registry)
      for (const type of registry.types.values()) {
        const softDelete = softDeleteOf(type)
        if (!softDelete) continue
        const { property, live } = softDelete
        type.deletedValues = () => ({ [property]: now() })
        type.uniqueAmong = live
        if (!softDelete.isDeclared) continue
        addFilter(type, createTrashedFilter(property, trash), registry)
        for (const action of createActions(type, trash)) addAction(type, action, registry)
      }
    },

    onQuery: (queryContext, query) => trash.readQuery(queryContext, query),

    planType({ type, scope, allows, beforeRender }) {
      if (!softDeleteOf(type)) return
      scope.push({ of: 'addressed', condition: (of, context) => trash.scope(of, context) })
      allows.push(allowsAction)
      if (type.emitsSelfLink) beforeRender.push(linkTrashed)
    },

    plan({ kind, type, relation, action, begin, check, beforeSave, meta }) {
      const shown = relation ? relation.target : type
      if (shown && deletionProperty(shown) !== null) {
        begin.push((request) => trash.readRequest(request, shown))
        meta.push(trashedMeta)
      }
      if (kind === 'FetchOne' && type && softDeleteOf(type)) check.push(requireTrashed)
      if (action?.on === 'resource' && deletionProperty(action.type) !== null)
        beforeSave.push((operation, subject) => checkAction(operation, subject as object))
    },

    describe: describeTrash,
  }

  function trashedMeta(type: ResourceType, request: ApiRequest): ResourceMeta | null {
    if (!trash.isViewer(request) || deletionProperty(type) === null) return null
    return (record) => (isTrashed(type, record) ? { trashed: true } : undefined)
  }
}

/** On a trashed row only the actions of this plugin can run: others do not find it. */
function allowsAction(type: ResourceType, ability: string, rows: readonly Row[] | null): readonly boolean[] {
  return rows?.map((row) => trashActions.includes(ability) || !isTrashed(type, row)) ?? [true]
}

/** The URL of a trashed resource needs the filter. */
function linkTrashed(type: ResourceType, rows: readonly Row[], { graph }: Context): void {
  for (const row of rows) {
    if (isTrashed(type, row)) graph.addLink(row, 'self', `?filter%5B${trashedKey}%5D=with`)
  }
}

/** `filter[trashed]=only` at the URL of a resource: the filter of a collection does not apply there. */
function requireTrashed({ target, query }: Operation, subject: object | null): undefined {
  if (query.trashed !== 'only' || isTrashed(target.type, subject as object)) return undefined
  throw resourceNotFound({ type: target.type.name, id: target.id ?? '' })
}

/** `filter[trashed]`: `with` adds trashed rows to the others, `only` shows no others. */
function createTrashedFilter(property: string, trash: Trash): AddedFilter {
  return {
    key: trashedKey,
    rules: [
      {
        test: (text) => trashedValues.some((value) => value === text),
        message: phrase("'with' or 'only'"),
        schema: { type: 'string', enum: [...trashedValues] },
      },
    ],
    description: '`with` also returns deleted resources, `only` no others. Unknown without the ability `viewTrashed`.',
    availableWhen: (request) => trash.isViewer(request),
    condition: (value) => (value === 'only' ? not(isNull(property)) : value === 'with' ? all() : undefined),
  }
}
