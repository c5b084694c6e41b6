import type { ActionInput, ActionResult } from './actions.ts'
import type {
  AttributesInput,
  Linkage,
  LinkageInput,
  NamesWith,
  NewResource,
  Optional,
  RelationsInput,
  Rest,
  WritableBy,
} from './inputs.ts'
import type {
  AllFields,
  ChangeOptions,
  CollectionQuery,
  DefaultIncludes,
  Fieldsets,
  Includes,
  ReadQuery,
  RequestOptions,
  WriteOptions,
} from './queries.ts'
import type { Pages, ResultOf } from './results.ts'
import type {
  Names,
  Part,
  Ref,
  RelationOf,
  RelationPart,
  RelationsOf,
  Row,
  Tagged,
  TargetOf,
  TypeName,
  TypesIn,
} from './rows.ts'
import type { WhereFilter } from './where.ts'

// The methods of resource types.

export interface Methods<Types, Type extends TypeName<Types>> {
  /** Requests the collection. */
  list<
    Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>,
    const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields,
  >(
    query?: Omit<ReadQuery<Types, Type, Paths, Fields>, 'withCount'> &
      CollectionQuery<
        Part<Types, Type, 'filters'> & WhereFilter<Types, Type>,
        Names<Types, Type, 'sorts'>,
        Part<Types, Type, 'page'>,
        Names<Types, Type, 'counts'>
      > &
      RequestOptions,
  ): Pages<Row<Types, Type, Paths, Fields>>

  /**
   * The rows of the collection, now and after every change. Connects again when the connection ends or is silent for 40
   * seconds. Throws the error of a refused stream, and the reason of an aborted signal.
   */
  live<
    Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>,
    const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields,
  >(
    query?: ReadQuery<Types, Type, Paths, Fields> &
      Omit<
        CollectionQuery<
          Part<Types, Type, 'filters'> & WhereFilter<Types, Type>,
          Names<Types, Type, 'sorts'>,
          never,
          never
        >,
        'page' | 'withCount'
      > &
      RequestOptions,
  ): AsyncIterable<readonly Row<Types, Type, Paths, Fields>[]>

  /**
   * The row of a resource, now and after every change: null after its removal. Ends if the resource is missing when the client
   * connects again. Otherwise as `live`.
   */
  liveOne<
    Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>,
    const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields,
  >(
    id: string,
    query?: ReadQuery<Types, Type, Paths, Fields> & RequestOptions,
  ): AsyncIterable<Row<Types, Type, Paths, Fields> | null>

  /** Requests the resource that a singular filter selects; null if there is none. */
  find<
    Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>,
    const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields,
  >(
    filter: Part<Types, Type, 'singular'> & Part<Types, Type, 'filters'>,
    query?: ReadQuery<Types, Type, Paths, Fields> & RequestOptions,
  ): Promise<Row<Types, Type, Paths, Fields> | null>

  get<
    Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>,
    const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields,
  >(
    id: string,
    query?: ReadQuery<Types, Type, Paths, Fields> & RequestOptions,
  ): Promise<Row<Types, Type, Paths, Fields, Tagged<Types, Type>>>

  create<
    Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>,
    const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields,
  >(
    attributes: AttributesInput<Part<Types, Type, 'create'>>,
    ...options: Rest<ReadQuery<Types, Type, Paths, Fields> & NewResource<Types, Type> & WriteOptions>
  ): Promise<ResultOf<Types, Type, Part<Types, Type, 'created'>, Paths, Fields>>

  /** Changes the attributes and relations that are sent. */
  update<
    Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>,
    const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields,
  >(
    id: string,
    attributes: AttributesInput<Part<Types, Type, 'update'>>,
    options?: ReadQuery<Types, Type, Paths, Fields> &
      Optional<'relations', RelationsInput<RelationsOf<Types, Type>, 'update'>> &
      ChangeOptions,
  ): Promise<ResultOf<Types, Type, Part<Types, Type, 'updated'>, Paths, Fields>>

  remove(
    id: string,
    options?: ChangeOptions,
  ): Promise<ResultOf<Types, Type, Part<Types, Type, 'removed'>, never, unknown>>

  /** Requests the related resources: a collection, or a resource or null. */
  related<
    Name extends NamesWith<RelationsOf<Types, Type>, { readonly related: true }>,
    Paths extends Includes<Types, TargetOf<Types, Type, Name>> = DefaultIncludes<Types, TargetOf<Types, Type, Name>>,
    const Fields extends Fieldsets<Types, TypesIn<Types, TargetOf<Types, Type, Name>, Paths>> = AllFields,
  >(
    id: string,
    relation: Name,
    query?: RelatedQuery<Types, RelationOf<Types, Type, Name>, Paths, Fields> & RequestOptions,
  ): RelatedResult<Types, RelationOf<Types, Type, Name>, Paths, Fields>

  /** Requests the identifiers of the related resources. */
  linkage<Name extends NamesWith<RelationsOf<Types, Type>, { readonly linkage: true }>>(
    id: string,
    relation: Name,
    options?: RequestOptions,
  ): Promise<Linkage<RelationOf<Types, Type, Name>>>

  /** Adds members to a to-many relation. */
  add<Name extends WritableBy<RelationsOf<Types, Type>, 'add'>>(
    id: string,
    relation: Name,
    members: LinkageInput<RelationOf<Types, Type, Name>, Ref, true>,
    options?: ChangeOptions,
  ): Promise<void>

  /** Replaces all members of a to-many relation, or the resource of a to-one. */
  replace<Name extends WritableBy<RelationsOf<Types, Type>, 'replace'>>(
    id: string,
    relation: Name,
    linkage: LinkageInput<RelationOf<Types, Type, Name>>,
    options?: ChangeOptions,
  ): Promise<void>

  /** Removes members from a to-many relation. */
  removeFrom<Name extends WritableBy<RelationsOf<Types, Type>, 'remove'>>(
    id: string,
    relation: Name,
    members: LinkageInput<RelationOf<Types, Type, Name>>,
    options?: ChangeOptions,
  ): Promise<void>

  /** Runs an action of the collection, or of the resource with `id`. */
  action<Name extends keyof Part<Types, Type, 'actions'> & string>(
    name: Name,
    ...options: Rest<ActionInput<Types, Part<Types, Type, 'actions'>[Name]> & ChangeOptions>
  ): Promise<ActionResult<Types, Type, Part<Types, Type, 'actions'>[Name]>>

  /** The identifier of a resource. */
  ref(id: string): Ref<Type>
}

type RelatedQuery<Types, Relation, Paths, Fields> =
  RelationPart<Relation, 'many'> extends true
    ? Omit<ReadQuery<Types, RelationPart<Relation, 'to'> & string, Paths, Fields>, 'withCount'> &
        CollectionQuery<
          RelationPart<Relation, 'filters'> & WhereFilter<Types, RelationPart<Relation, 'to'>>,
          RelationPart<Relation, 'sorts'> & string,
          RelationPart<Relation, 'page'>,
          RelationPart<Relation, 'counts'> & string
        >
    : ReadQuery<Types, RelationPart<Relation, 'to'> & string, Paths, Fields> &
        Optional<'filter', RelationPart<Relation, 'filters'> & WhereFilter<Types, RelationPart<Relation, 'to'>>>

type RelatedResult<Types, Relation, Paths, Fields> =
  RelationPart<Relation, 'many'> extends true
    ? Pages<Row<Types, RelationPart<Relation, 'to'> & string, Paths, Fields>>
    : Promise<Row<Types, RelationPart<Relation, 'to'> & string, Paths, Fields> | null>
