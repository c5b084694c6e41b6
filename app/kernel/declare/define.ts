import type { RowBuilders } from '../schema/builders.ts'
import type { EntityClass } from '../schema/entity-types.ts'
import type { DeclaredAs } from '../schema/facts.ts'
import type {
  Resource,
  ResourceDeclaration,
  SerializedType,
  Serializer,
  TypeDeclaration,
} from '../schema/resource-type.ts'

/** Declares a resource: `export default defineResource(Album, { type: 'albums', … })`. */
export function defineResource<
  Entity extends object,
  const Declaration extends ResourceDeclaration<Entity> = ResourceDeclaration<Entity>,
>(
  entity: EntityClass<Entity>,
  declaration: Declaration & UnknownKeys<Declaration, ResourceDeclaration<Entity>>,
): Resource & DeclaredAs<Entity, Declaration> {
  return { entity: entity as EntityClass<object>, declaration: declaration as unknown as ResourceDeclaration<never> }
}

/** The compiler error for a key that no plugin of the project declares. */
type UnknownKeys<Declaration, Known> = {
  readonly [Key in Exclude<keyof Declaration, keyof Known>]: UnknownKey<Key>
}
interface UnknownKey<Key> {
  readonly unknown: Key
}

/**
 * Declares a type without an entity: `export default defineType<Country>()({ type: 'countries', provider, … })`. Called with
 * the declaration itself, the type is not part of the types of clients: TypeScript cannot infer one type argument of two.
 */
export function defineType<Row extends object>(): <const Declaration extends TypeDeclaration<Row>>(
  declaration: Declaration & UnknownKeys<Declaration, ResourceDeclaration<Row> & SerializedType<Row>>,
) => Resource & DeclaredAs<Row, Declaration & { readonly entityless: true }>
export function defineType<Row extends object>(declaration: TypeDeclaration<Row>): Resource
export function defineType<Row extends object>(declaration?: TypeDeclaration<Row>): unknown {
  return declaration ? toResource<Row>(declaration) : toResource<Row>
}

function toResource<Row extends object>(declaration: TypeDeclaration<Row>): Resource {
  const { serializer, id, relations, ...rest } = declaration as SerializedType<Row>
  // The registry reports a declaration with neither fields nor a serializer.
  if (declaration.fields || !isSerializer(serializer)) {
    return { entity: null, declaration: declaration as unknown as ResourceDeclaration<never> }
  }
  const fields = (builders: RowBuilders<Row>) => [
    id ? id(builders) : builders.id(),
    ...Object.entries(serializer.attributes).map(([name, read]) =>
      builders
        .string(name)
        .computed()
        .readOnly()
        .serializeUsing(read as never),
    ),
    ...(relations?.(builders) ?? []),
  ]
  return { entity: null, declaration: { ...rest, fields } as unknown as ResourceDeclaration<never> }
}

function isSerializer(serializer: Partial<Serializer<never>> | undefined): boolean {
  const readers = Object.values(serializer?.attributes ?? {})
  return readers.length > 0 && readers.every((read) => typeof read === 'function')
}
