import { type Action, getOrCreate, type OperationKind, type Relation, type ResourceType } from '#kernel/plugin'

/** `catalog-exports` and `orderedTracks` → `CatalogExports` and `OrderedTracks`. */
export function pascalCase(name: string): string {
  return getOrCreate(pascalCaseNames, name, () => capitalized(name).join(''))
}

/** The cache of `pascalCase`. */
const pascalCaseNames = new Map<string, string>()

/** `catalog-exports` → `Catalog Exports`. */
export function titleCase(name: string): string {
  return capitalized(name).join(' ')
}

/** `RESOURCE_NOT_FOUND` → `ResourceNotFoundError`. */
export function errorName(code: string): string {
  return `${pascalCase(code.toLowerCase())}Error`
}

const ids: Readonly<Record<OperationKind, string>> = {
  FetchCollection: 'fetchCollection',
  FetchOne: 'fetchOne',
  FetchRelated: 'fetchRelated',
  FetchRelationship: 'fetchRelationship',
  Create: 'create',
  Update: 'update',
  Delete: 'delete',
  UpdateRelationship: 'updateRelationship',
  AddToRelationship: 'addRelationship',
  RemoveFromRelationship: 'removeRelationship',
  Action: 'action',
  FetchAction: 'action',
}

/** `fetchOne.albums`, `fetchRelated.albums.tracks`, `action.albums.reissue`. */
export function operationId(kind: OperationKind, type: ResourceType, member: Relation | Action | null): string {
  return [ids[kind], type.name, ...(member ? [member.name] : [])].join('.')
}

function capitalized(name: string): string[] {
  const words = name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? [name]
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
}
