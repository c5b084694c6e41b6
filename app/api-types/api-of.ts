import type { ApiFacts, DeclarationOf, FactsIn } from '#kernel'
import type { DeclaredActions } from './actions-of.ts'
import type { FieldsOf, IsOn, NoMembers, PagesOf, Simplify } from './declarations.ts'
import type { DeclaredErrors } from './errors-of.ts'
import type { AttributesOf } from './fields-of.ts'
import type { FilterableOf } from './filterable-of.ts'
import type { FiltersOf, SingularOf } from './filters-of.ts'
import type { IncludePaths } from './includes-of.ts'
import type { RelationsOf } from './relations-of.ts'

// Computes the description of an API, which the types of the client read (`ApiSchema` of clients/typescript), from the
// declarations of resources. Exists in types only.

/** The declaration of a resource folder, and its actions that have files of their own. */
export interface ResourceFolder {
  readonly resource: object
  readonly actions?: object
}

/** The API of a server: its resource types and the status of each error code. */
export interface ApiOf<Folders, Server extends string, Errors> {
  readonly types: TypesOf<Folders, Server>
  readonly errors: Simplify<Errors & ErrorsIn<Folders, Server>>
}

/** The entity and the declaration of a folder. */
type Declared<Folder> = Folder extends { readonly resource: infer Resource } ? DeclarationOf<Resource> : never
type NameOf<Declaration> = Declaration extends { readonly type: infer Name extends string } ? Name : never

type TypesOf<Folders, Server extends string> = {
  readonly [Folder in keyof Folders as IsOn<Declared<Folders[Folder]>['declaration'], Server> extends true
    ? NameOf<Declared<Folders[Folder]>['declaration']>
    : never]: TypeOf<
    Declared<Folders[Folder]>['entity'],
    Declared<Folders[Folder]>['declaration'],
    Folders[Folder],
    TypesOf<Folders, Server>,
    NamesOn<Folders, Server>
  >
}

/** The names of the types of a server, without their descriptions. */
type NamesOn<Folders, Server> = {
  [Folder in keyof Folders]: IsOn<Declared<Folders[Folder]>['declaration'], Server> extends true
    ? NameOf<Declared<Folders[Folder]>['declaration']>
    : never
}[keyof Folders]

/** The errors that the folders of a server declare. */
type ErrorsIn<Folders, Server> = {
  readonly [Declared in keyof AllErrors<Folders, Server> & string]: AllErrors<Folders, Server>[Declared]
}
type AllErrors<Folders, Server> = Intersected<
  {
    [Folder in keyof Folders]: IsOn<Declared<Folders[Folder]>['declaration'], Server> extends true
      ? DeclaredErrors<Declared<Folders[Folder]>['declaration'], Folders[Folder]>
      : NoMembers
  }[keyof Folders]
>
type Intersected<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Intersection,
) => void
  ? Intersection
  : never

interface TypeOf<Entity, Declaration, Folder, Types, Names> {
  readonly attributes: Simplify<AttributesOf<Entity, FieldsOf<Declaration>, 'read'> & SerializedBy<Declaration>>
  readonly create: AttributesOf<Entity, FieldsOf<Declaration>, 'create'>
  readonly update: AttributesOf<Entity, FieldsOf<Declaration>, 'update'>
  readonly id: IdOf<FieldsOf<Declaration>>
  readonly relations: RelationsOf<FieldsOf<Declaration>, Names, Types>
  readonly operations: OperationsOf<Declaration> | StreamsOf<Declaration>
  readonly filters: FiltersOf<Declaration>
  readonly singular: SingularOf<Declaration>
  readonly filterable: FilterableOf<Entity, FieldsOf<Declaration>>
  readonly sorts:
    | NamesWith<Declaration, { readonly sortable: true }>
    | (Declaration extends { readonly sorts: infer Sorts } ? keyof Sorts & string : never)
  readonly page: PagesOf<Declaration>
  readonly includes: IncludePaths<Types, NameOf<Declaration>, Declaration>
  readonly defaultIncludes: DefaultIncludes<Declaration> & IncludePaths<Types, NameOf<Declaration>, Declaration>
  readonly counts:
    | NamesWith<Declaration, { readonly countable: true; readonly to: Names }>
    | (Declaration extends { readonly countable: true } ? '_self_' : never)
  readonly actions: DeclaredActions<Declaration, Folder>
  readonly created: AnswersOf<Declaration, 'create', 'row'>
  readonly updated: AnswersOf<Declaration, 'update', 'row'>
  readonly removed: AnswersOf<Declaration, 'delete', 'none'>
  readonly etags: ApiFacts extends { readonly etags: true } ? true : false
  readonly path: Declaration extends { readonly uriType: infer Path extends string } ? Path : NameOf<Declaration>
}

/** The values that functions of a serializer return. */
type SerializedBy<Declaration> = Declaration extends { readonly serializer: { readonly attributes: infer Readers } }
  ? { readonly [Name in keyof Readers]: Readers[Name] extends (...args: never[]) => infer Value ? Value : never }
  : unknown

type IdOf<Fields> = [Extract<FactsIn<Fields>, { readonly id: unknown }>] extends [never]
  ? 'server'
  : Extract<FactsIn<Fields>, { readonly id: unknown }>['id']

/** The methods of a client by operation. */
interface ClientMethods {
  FetchCollection: 'list'
  FetchOne: 'get'
  Create: 'create'
  Update: 'update'
  Delete: 'remove'
}

/** A type without an entity and without `operations` has none. */
type OperationsOf<Declaration> = Declaration extends { readonly readOnly: true }
  ? 'list' | 'get'
  : Declaration extends { readonly operations: infer Names }
    ? Names extends readonly []
      ? ClientMethods[keyof ClientMethods]
      : Names extends readonly (infer Name)[]
        ? ClientMethods[Name & keyof ClientMethods]
        : never
    : Declaration extends { readonly entityless: true }
      ? never
      : ClientMethods[keyof ClientMethods]

/** The methods of a client that read streams of changes, by the method that reads the same once. */
interface StreamMethods {
  list: 'live'
  get: 'liveOne'
}

type StreamsOf<Declaration> = ApiFacts extends { readonly streams: true }
  ? Declaration extends { readonly changes: true }
    ? StreamMethods[OperationsOf<Declaration> & keyof StreamMethods]
    : never
  : never

/** The names of the fields with a fact. `keyof` makes the compiler print them in messages instead of this type. */
type NamesWith<Declaration, Shape> = keyof {
  [Field in Extract<FactsIn<FieldsOf<Declaration>>, Shape> as Field extends { readonly name: infer Name extends string }
    ? Name
    : never]: true
}

type DefaultIncludes<Declaration> = Declaration extends {
  readonly defaultIncludes: readonly (infer Name extends string)[]
}
  ? Name
  : never

/** The results of an operation: the declared responses, else the default. */
type AnswersOf<Declaration, Key extends string, Default> = Declaration extends {
  readonly [Name in Key]: infer Responses
}
  ? AnswerOf<Responses extends readonly (infer Response)[] ? Response : Responses>
  : Default
type AnswerOf<Response> = Response extends { readonly response: infer Name }
  ? Name extends 'accepted'
    ? Response extends { readonly jobType: infer Job }
      ? { readonly accepted: Job }
      : never
    : Name extends 'noContent'
      ? 'none'
      : Name extends 'metaResult'
        ? 'meta'
        : 'row'
  : never
