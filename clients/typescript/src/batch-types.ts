import type { MethodName } from './client.ts'
import type {
  AttributesInput,
  LinkageInput,
  NewResource,
  Optional,
  RelationsInput,
  Rest,
  WritableBy,
} from './inputs.ts'
import type { Part, Ref, RelationOf, RelationsOf, Row, TypeName } from './rows.ts'

// The types of batches.

/** A resource that an operation of the same batch creates. */
export interface Local<Type extends string = string> {
  readonly type: Type
  readonly lid: string
}

/** Collects the operations of a batch. The methods return references, which later operations accept. */
export type Batch<Types> = {
  readonly [Type in TypeName<Types>]: Pick<
    BatchMethods<Types, Type>,
    MethodName<Types, Type> & keyof BatchMethods<Types, Type>
  >
}

interface BatchMethods<Types, Type extends TypeName<Types>> {
  create(
    attributes: AttributesInput<Part<Types, Type, 'create'>>,
    ...options: Rest<NewResource<Types, Type, Local>>
  ): Local<Type>
  update(
    target: string | Local<Type>,
    attributes: AttributesInput<Part<Types, Type, 'update'>>,
    ...options: Rest<Optional<'relations', RelationsInput<RelationsOf<Types, Type>, 'update', Local>>>
  ): Changed<Type>
  remove(target: string | Local<Type>): void
  add<Name extends WritableBy<RelationsOf<Types, Type>, 'add'>>(
    target: string | Local<Type>,
    relation: Name,
    members: LinkageInput<RelationOf<Types, Type, Name>, Local, true>,
  ): void
  replace<Name extends WritableBy<RelationsOf<Types, Type>, 'replace'>>(
    target: string | Local<Type>,
    relation: Name,
    linkage: LinkageInput<RelationOf<Types, Type, Name>, Local>,
  ): void
  removeFrom<Name extends WritableBy<RelationsOf<Types, Type>, 'remove'>>(
    target: string | Local<Type>,
    relation: Name,
    members: LinkageInput<RelationOf<Types, Type, Name>, Local>,
  ): void
  ref(id: string): Ref<Type>
}

/** A resource that an operation of the batch changes. */
export interface Changed<Type extends string = string> {
  readonly changed: Type
}

/** The rows of the references that the function of a batch returns. */
export type BatchResult<Types, Result> =
  Result extends Local<infer Type>
    ? Row<Types, Type>
    : Result extends Changed<infer Type>
      ? Row<Types, Type>
      : Result extends object
        ? { readonly [Key in keyof Result]: BatchResult<Types, Result[Key]> }
        : Result
