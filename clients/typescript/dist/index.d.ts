// Written by `npm run template -- client` from the sources of the client.
type ActionInput<Types, Action> = Action extends ActionSchema ? (Action['on'] extends 'resource' ? {
    readonly id: string;
} : unknown) & (Action['method'] extends 'POST' ? unknown : {
    readonly method: Action['method'];
}) & ([Action['input']] extends [never] ? unknown : Action['input'] extends {
    readonly media: infer Media;
} ? {
    readonly input: RawBody;
    readonly contentType: Media;
} : Action['input'] extends {
    readonly type: infer Input extends string;
} ? {
    readonly input: DocumentInput<Types, Input>;
} : never) : never;
/** The body of a request with raw input. */
type RawBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;
/** The resource that an action receives. */
type DocumentInput<Types, Type extends string> = Type extends keyof Types ? {
    readonly type: Type;
    readonly attributes: AttributesInput<Part<Types, Type, 'create'>>;
} & NewResource<Types, Type> : {
    readonly type: Type;
    readonly attributes: Readonly<Record<string, unknown>>;
};
type ActionResult<Types, Type extends string, Action> = Action extends {
    readonly answers: infer Answers extends Answer;
} ? ResultOf<Types, Type, Answers, never, unknown> : never;
/** A resource that an operation of the same batch creates. */
interface Local<Type extends string = string> {
    readonly type: Type;
    readonly lid: string;
}
/** Collects the operations of a batch. The methods return references, which later operations accept. */
type Batch<Types> = {
    readonly [Type in TypeName<Types>]: Pick<BatchMethods<Types, Type>, MethodName<Types, Type> & keyof BatchMethods<Types, Type>>;
};
interface BatchMethods<Types, Type extends TypeName<Types>> {
    create(attributes: AttributesInput<Part<Types, Type, 'create'>>, ...options: Rest<NewResource<Types, Type, Local>>): Local<Type>;
    update(target: string | Local<Type>, attributes: AttributesInput<Part<Types, Type, 'update'>>, ...options: Rest<Optional<'relations', RelationsInput<RelationsOf<Types, Type>, 'update', Local>>>): Changed<Type>;
    remove(target: string | Local<Type>): void;
    add<Name extends WritableBy<RelationsOf<Types, Type>, 'add'>>(target: string | Local<Type>, relation: Name, members: LinkageInput<RelationOf<Types, Type, Name>, Local, true>): void;
    replace<Name extends WritableBy<RelationsOf<Types, Type>, 'replace'>>(target: string | Local<Type>, relation: Name, linkage: LinkageInput<RelationOf<Types, Type, Name>, Local>): void;
    removeFrom<Name extends WritableBy<RelationsOf<Types, Type>, 'remove'>>(target: string | Local<Type>, relation: Name, members: LinkageInput<RelationOf<Types, Type, Name>, Local>): void;
    ref(id: string): Ref<Type>;
}
/** A resource that an operation of the batch changes. */
interface Changed<Type extends string = string> {
    readonly changed: Type;
}
/** The rows of the references that the function of a batch returns. */
type BatchResult<Types, Result> = Result extends Local<infer Type> ? Row<Types, Type> : Result extends Changed<infer Type> ? Row<Types, Type> : Result extends object ? {
    readonly [Key in keyof Result]: BatchResult<Types, Result[Key]>;
} : Result;
interface BatchOptions {
    readonly idempotencyKey?: string | true;
    readonly signal?: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
}
/** Sends the operations that `build` collects in one request. */
declare function sendBatch(send: Send, build: (batch: object) => unknown, options?: BatchOptions): Promise<unknown>;
/** A client of an API: `api.albums.list()`. Members that are not types begin with `$`. */
type Client<Api extends ApiSchema> = {
    readonly [Type in TypeName<Api['types']>]: Pick<Methods<Api['types'], Type>, MethodName<Api['types'], Type>>;
} & {
    /** Sends the operations in one transaction. Returns the rows of the references that the function returns. */
    $batch<Result>(build: (batch: Batch<Api['types']>) => Result, options?: WriteOptions): Promise<BatchResult<Api['types'], Result>>;
    /** Whether a caught value is an error response of the API. */
    $isError(error: unknown): error is ApiError<Api['errors']>;
    /** Returns the error of a request instead of throwing it. Other errors, as of the network, are thrown. */
    $attempt<Value>(request: PromiseLike<Value>): Promise<Outcome<Value, Api['errors']>>;
};
/** The methods that a type has. */
type MethodName<Types, Type> = (Part<Types, Type, 'operations'> & Operation) | (Part<Types, Type, 'singular'> extends infer Filters ? ([keyof Filters] extends [never] ? never : 'find') : never) | ([keyof RelationsOf<Types, Type>] extends [never] ? never : 'related' | 'linkage' | 'add' | 'replace' | 'removeFrom') | ([keyof Part<Types, Type, 'actions'>] extends [never] ? never : 'action') | 'ref';
/**
 * Iterates over the values that `start` returns. Aborts the signal of `start` when the iterator is closed, also while `next()`
 * waits, and when the given signal is aborted.
 */
declare function closable<Value>(signal: AbortSignal | undefined, start: (signal: AbortSignal) => AsyncIterable<Value>): AsyncIterableIterator<Value>;
/** The URL segments that differ from the names, by type and by `type.relation`. */
type PathsOf<Types> = {
    readonly [Type in keyof Types as Types[Type] extends {
        readonly path: Type;
    } ? never : Type]: Types[Type] extends {
        readonly path: infer Path;
    } ? Path : never;
} & {
    readonly [Name in RelationPaths<Types> as `${Name[0]}.${Name[1]}`]: Name[2];
};
/** Relations whose URL segment is not their name: `[type, relation, segment]`. */
type RelationPaths<Types> = {
    [Type in keyof Types & string]: Types[Type] extends {
        readonly relations: infer Relations;
    } ? {
        [Name in keyof Relations & string]: Relations[Name] extends {
            readonly path: infer Path;
        } ? Path extends Name ? never : [Type, Name, Path] : never;
    }[keyof Relations & string] : never;
}[keyof Types & string];
type ClientOptions<Api extends ApiSchema> = ConnectionOptions & ([keyof PathsOf<Api['types']>] extends [never] ? unknown : {
    readonly paths: PathsOf<Api['types']>;
});
/** Creates a client: `createClient<Api>({ url: 'https://api.example.com', token })`. */
declare function createClient<Api extends ApiSchema>(options: ClientOptions<Api>): Client<Api>;
/** An identifier or a row; `pivot` is sent in `meta`. */
interface Linked {
    readonly type: string;
    readonly id?: string;
    readonly lid?: string;
    readonly pivot?: unknown;
}
type LinkedValue = Linked | null | readonly Linked[];
interface NewResourceInput {
    readonly id?: string;
    readonly relations?: Readonly<Record<string, LinkedValue>>;
}
/** A resource object to send. */
declare function toResource(identifier: {
    readonly type: string;
    readonly id?: string;
    readonly lid?: string;
}, attributes: object | undefined, relations: NewResourceInput['relations']): object;
/** The linkage of rows, identifiers and local ids. */
declare function toLinkage(value: LinkedValue): unknown;
/** An error object of JSON:API. */
interface ErrorObject {
    readonly id?: string;
    readonly status?: string;
    readonly code?: string;
    readonly title?: string;
    readonly detail?: string;
    readonly source?: {
        readonly pointer?: string;
        readonly parameter?: string;
        readonly header?: string;
    };
    readonly meta?: Readonly<Record<string, unknown>>;
    readonly links?: Readonly<Record<string, unknown>>;
}
/** A response with a status of 400 or more. */
declare class JsonApiError extends Error {
    readonly status: number;
    /** The code of the first error object; null if the response is not an error document. */
    readonly code: string | null;
    readonly errors: readonly ErrorObject[];
    readonly headers: Headers;
    constructor(request: string, status: number, errors: readonly ErrorObject[], headers: Headers);
}
/** The union of the errors of an API: `error.code` selects one, with its status. */
type ApiError<Errors> = {
    [Code in keyof Errors & string]: JsonApiError & {
        readonly code: Code;
        readonly status: Errors[Code];
    };
}[keyof Errors & string] | (JsonApiError & {
    readonly code: null;
});
/** The result of a request without an exception. */
type Outcome<Value, Errors> = {
    readonly ok: true;
    readonly value: Value;
} | {
    readonly ok: false;
    readonly error: ApiError<Errors>;
};
/** Attributes to send. The type of an object without members would accept every object. */
type AttributesInput<Attributes> = [keyof Attributes] extends [never] ? Record<string, never> : Attributes;
/**
 * Linkage to send: rows, identifiers, or null for an empty to-one. Members of a `New` linkage have the required values of a
 * membership; those of other writes may be linked already.
 */
type LinkageInput<Relation, Target = Ref, New = false> = Relation extends {
    readonly to: infer To extends string;
    readonly many: infer Many;
    readonly pivotInput: infer Pivot;
} ? Many extends true ? readonly Member<To, New extends true ? Pivot : Partial<Pivot>, Target>[] : Member<To, Pivot, Target> | (Relation extends {
    readonly nullable: false;
} ? never : null) : never;
type Member<To, Pivot, Target> = (To extends string ? Ref<To> | (Target extends Local ? Local<To> : never) : never) & Optional<'pivot', Pivot>;
/** The relations of a create or an update. */
type RelationsInput<Relations, On, Target = Ref> = {
    readonly [Name in keyof Relations as IsSent<Relations[Name], On, false> extends true ? Name : never]?: LinkageInput<Relations[Name], Target, On extends 'create' ? true : false>;
} & {
    readonly [Name in keyof Relations as IsSent<Relations[Name], On, true> extends true ? Name : never]: Exclude<LinkageInput<Relations[Name], Target, true>, null>;
};
type IsSent<Relation, On, Required> = Relation extends {
    readonly on: infer Where;
    readonly required: infer Needed;
} ? [On] extends [Where] ? [On, Needed] extends ['create', true] ? Required : Required extends true ? false : true : false : false;
/** The options of a create that depend on the type: relations and the id. Required if one of them is. */
type NewResource<Types, Type, Target = Ref> = Optional<'relations', RelationsInput<RelationsOf<Types, Type>, 'create', Target>> & IdInput<Part<Types, Type, 'id'>>;
type IdInput<Id> = Id extends 'client' ? {
    readonly id: string;
} : Id extends 'optional' ? {
    readonly id?: string;
} : unknown;
/** A member that is required if one of its members is, and absent if there are none. */
type Optional<Name extends string, Value> = [keyof Value] extends [never] ? unknown : Partial<Value> extends Value ? {
    readonly [Key in Name]?: Value;
} : {
    readonly [Key in Name]: Value;
};
/** The options as the last argument; none if there are no options. */
type Rest<Options> = unknown extends Options ? [] : Partial<Options> extends Options ? [options?: Options] : [options: Options];
/** The relations with a shape. `keyof` makes the compiler print their names in messages instead of this type. */
type NamesWith<Relations, Shape> = keyof {
    [Name in keyof Relations as Relations[Name] extends Shape ? Name : never]: true;
};
/** The relations that accept a write at their URL. */
type WritableBy<Relations, Write> = keyof {
    [Name in keyof Relations as Relations[Name] extends {
        readonly linkage: true;
        readonly writes: infer Writes;
    } ? Write extends Writes ? Name : never : never]: true;
};
type Linkage<Relation> = Relation extends {
    readonly to: infer To extends string;
    readonly many: infer Many;
} ? Many extends true ? readonly Ref<To>[] : Ref<To> | null : never;
/**
 * Yields the rows of a live collection, now and after every change. Connects again when the connection ends, and with another
 * token after an `error` event with status 401. Throws the error of a refused stream or of another `error` event, and the
 * reason of an aborted signal.
 */
declare function liveRows({ connect, signal, renewsToken }: Connector, include: readonly string[] | undefined): AsyncGenerator<readonly unknown[]>;
/** Yields the row of a live resource: null after its removal. Ends if the resource is missing when it connects again. */
declare function firstRows(collections: AsyncIterable<readonly unknown[]>): AsyncGenerator<unknown>;
interface Methods<Types, Type extends TypeName<Types>> {
    /** Requests the collection. */
    list<Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>, const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields>(query?: Omit<ReadQuery<Types, Type, Paths, Fields>, 'withCount'> & CollectionQuery<Part<Types, Type, 'filters'> & WhereFilter<Types, Type>, Names<Types, Type, 'sorts'>, Part<Types, Type, 'page'>, Names<Types, Type, 'counts'>> & RequestOptions): Pages<Row<Types, Type, Paths, Fields>>;
    /**
     * The rows of the collection, now and after every change. Connects again when the connection ends or is silent for 40
     * seconds. Throws the error of a refused stream, and the reason of an aborted signal.
     */
    live<Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>, const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields>(query?: ReadQuery<Types, Type, Paths, Fields> & Omit<CollectionQuery<Part<Types, Type, 'filters'> & WhereFilter<Types, Type>, Names<Types, Type, 'sorts'>, never, never>, 'page' | 'withCount'> & RequestOptions): AsyncIterable<readonly Row<Types, Type, Paths, Fields>[]>;
    /**
     * The row of a resource, now and after every change: null after its removal. Ends if the resource is missing when the client
     * connects again. Otherwise as `live`.
     */
    liveOne<Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>, const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields>(id: string, query?: ReadQuery<Types, Type, Paths, Fields> & RequestOptions): AsyncIterable<Row<Types, Type, Paths, Fields> | null>;
    /** Requests the resource that a singular filter selects; null if there is none. */
    find<Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>, const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields>(filter: Part<Types, Type, 'singular'> & Part<Types, Type, 'filters'>, query?: ReadQuery<Types, Type, Paths, Fields> & RequestOptions): Promise<Row<Types, Type, Paths, Fields> | null>;
    get<Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>, const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields>(id: string, query?: ReadQuery<Types, Type, Paths, Fields> & RequestOptions): Promise<Row<Types, Type, Paths, Fields, Tagged<Types, Type>>>;
    create<Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>, const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields>(attributes: AttributesInput<Part<Types, Type, 'create'>>, ...options: Rest<ReadQuery<Types, Type, Paths, Fields> & NewResource<Types, Type> & WriteOptions>): Promise<ResultOf<Types, Type, Part<Types, Type, 'created'>, Paths, Fields>>;
    /** Changes the attributes and relations that are sent. */
    update<Paths extends Includes<Types, Type> = DefaultIncludes<Types, Type>, const Fields extends Fieldsets<Types, TypesIn<Types, Type, Paths>> = AllFields>(id: string, attributes: AttributesInput<Part<Types, Type, 'update'>>, options?: ReadQuery<Types, Type, Paths, Fields> & Optional<'relations', RelationsInput<RelationsOf<Types, Type>, 'update'>> & ChangeOptions): Promise<ResultOf<Types, Type, Part<Types, Type, 'updated'>, Paths, Fields>>;
    remove(id: string, options?: ChangeOptions): Promise<ResultOf<Types, Type, Part<Types, Type, 'removed'>, never, unknown>>;
    /** Requests the related resources: a collection, or a resource or null. */
    related<Name extends NamesWith<RelationsOf<Types, Type>, {
        readonly related: true;
    }>, Paths extends Includes<Types, TargetOf<Types, Type, Name>> = DefaultIncludes<Types, TargetOf<Types, Type, Name>>, const Fields extends Fieldsets<Types, TypesIn<Types, TargetOf<Types, Type, Name>, Paths>> = AllFields>(id: string, relation: Name, query?: RelatedQuery<Types, RelationOf<Types, Type, Name>, Paths, Fields> & RequestOptions): RelatedResult<Types, RelationOf<Types, Type, Name>, Paths, Fields>;
    /** Requests the identifiers of the related resources. */
    linkage<Name extends NamesWith<RelationsOf<Types, Type>, {
        readonly linkage: true;
    }>>(id: string, relation: Name, options?: RequestOptions): Promise<Linkage<RelationOf<Types, Type, Name>>>;
    /** Adds members to a to-many relation. */
    add<Name extends WritableBy<RelationsOf<Types, Type>, 'add'>>(id: string, relation: Name, members: LinkageInput<RelationOf<Types, Type, Name>, Ref, true>, options?: ChangeOptions): Promise<void>;
    /** Replaces all members of a to-many relation, or the resource of a to-one. */
    replace<Name extends WritableBy<RelationsOf<Types, Type>, 'replace'>>(id: string, relation: Name, linkage: LinkageInput<RelationOf<Types, Type, Name>>, options?: ChangeOptions): Promise<void>;
    /** Removes members from a to-many relation. */
    removeFrom<Name extends WritableBy<RelationsOf<Types, Type>, 'remove'>>(id: string, relation: Name, members: LinkageInput<RelationOf<Types, Type, Name>>, options?: ChangeOptions): Promise<void>;
    /** Runs an action of the collection, or of the resource with `id`. */
    action<Name extends keyof Part<Types, Type, 'actions'> & string>(name: Name, ...options: Rest<ActionInput<Types, Part<Types, Type, 'actions'>[Name]> & ChangeOptions>): Promise<ActionResult<Types, Type, Part<Types, Type, 'actions'>[Name]>>;
    /** The identifier of a resource. */
    ref(id: string): Ref<Type>;
}
type RelatedQuery<Types, Relation, Paths, Fields> = RelationPart<Relation, 'many'> extends true ? Omit<ReadQuery<Types, RelationPart<Relation, 'to'> & string, Paths, Fields>, 'withCount'> & CollectionQuery<RelationPart<Relation, 'filters'> & WhereFilter<Types, RelationPart<Relation, 'to'>>, RelationPart<Relation, 'sorts'> & string, RelationPart<Relation, 'page'>, RelationPart<Relation, 'counts'> & string> : ReadQuery<Types, RelationPart<Relation, 'to'> & string, Paths, Fields> & Optional<'filter', RelationPart<Relation, 'filters'> & WhereFilter<Types, RelationPart<Relation, 'to'>>>;
type RelatedResult<Types, Relation, Paths, Fields> = RelationPart<Relation, 'many'> extends true ? Pages<Row<Types, RelationPart<Relation, 'to'> & string, Paths, Fields>> : Promise<Row<Types, RelationPart<Relation, 'to'> & string, Paths, Fields> | null>;
type Fetch = (search: string) => Promise<Reply>;
/**
 * A read that is sent when it is awaited or iterated: resolves to a page if the data is a list, otherwise to a row or null.
 */
declare class Reading implements Promise<unknown>, AsyncIterable<unknown> {
    #private;
    readonly [Symbol.toStringTag] = "Promise";
    constructor(fetch: Fetch, search: string, include: readonly string[] | undefined);
    then<Value, Failure = never>(onValue?: ((value: unknown) => Value | PromiseLike<Value>) | null, onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null): Promise<Value | Failure>;
    catch<Failure = never>(onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null): Promise<unknown | Failure>;
    finally(run?: (() => void) | null): Promise<unknown>;
    pages(): AsyncGenerator<Page<unknown>>;
    [Symbol.asyncIterator](): AsyncGenerator<unknown>;
}
/** The value of a response without a list: a row, null, the meta of the document, a job, or undefined. */
declare function toResult({ status, headers, document }: Reply, include: readonly string[] | undefined): unknown;
/** The paths that `include` accepts, and those of a request without it. */
type Includes<Types, Type> = Names<Types, Type, 'includes'>;
type DefaultIncludes<Types, Type> = Names<Types, Type, 'defaultIncludes'> & Includes<Types, Type>;
/** Without fieldsets, all fields of all types. */
type AllFields = Record<never, never>;
/** Names per type: `{ artists: ['name'] }`. */
type Fieldsets<Types, In extends string> = {
    readonly [Type in In]?: readonly FieldName<Types, Type>[];
};
/** The error for a fieldset of a type that the response does not contain. */
type OtherTypes<Fields, Names> = {
    readonly [Type in Exclude<keyof Fields, Names>]: `The response contains no '${Type & string}'; include a relation to it.`;
};
/** The parameters of a request whose response contains resources of a type. */
interface ReadQuery<Types, Type extends string, Paths, Fields> {
    /** Paths of relations to resolve to objects. Default: the default includes of the type. */
    readonly include?: readonly Paths[];
    /** The fields of each type; default: all. Names relations as well. */
    readonly fields?: Fields & OtherTypes<Fields, TypesIn<Types, Type, Paths>>;
    /** Relations whose members are counted: `row.$counts`. */
    readonly withCount?: readonly Exclude<Names<Types, Type, 'counts'>, '_self_'>[];
}
type Sort<Key> = Key | `-${Key & string}`;
/** The parameters of a collection. */
type CollectionQuery<Filters, Sorts, Page, Counts> = Optional<'filter', Filters> & {
    readonly sort?: Sort<Sorts> | readonly Sort<Sorts>[];
    readonly page?: Page;
    /** Names to count; `_self_` counts the collection: `page.meta.page.total`. */
    readonly withCount?: readonly Counts[];
};
/** Options of every request. */
interface RequestOptions {
    readonly signal?: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
    /** Query parameters that the types do not cover. */
    readonly params?: Readonly<Record<string, string>>;
}
/** Options of writes. */
interface WriteOptions extends RequestOptions {
    /** Sent as `Idempotency-Key`. `true` sends a random UUID. A write with a key is retried like a read. */
    readonly idempotencyKey?: string | true;
}
/** Options of writes of an existing resource. */
interface ChangeOptions extends WriteOptions {
    /** The entity tag that the resource must have: `row.$etag`. Otherwise the write fails with 412. */
    readonly ifMatch?: string;
}
/** The query parameters of a request, as the methods receive them. */
interface QueryInput {
    readonly include?: readonly string[];
    readonly fields?: Readonly<Record<string, readonly string[]>>;
    readonly filter?: Readonly<Record<string, unknown>>;
    readonly sort?: string | readonly string[];
    readonly page?: Readonly<Record<string, unknown>>;
    readonly withCount?: readonly string[];
    readonly params?: Readonly<Record<string, string>>;
}
/** Returns the query string without `?`. */
declare function toQueryString({ include, fields, filter, sort, page, withCount, params, }: QueryInput): string;
/** A page of a collection. */
interface Page<One> {
    readonly data: readonly One[];
    readonly meta: Readonly<Record<string, unknown>>;
    readonly links: Readonly<Record<string, unknown>>;
    /** The entity tag of the response. */
    readonly etag: string | null;
    /** Requests the next page; null on the last one. */
    next(): Promise<Page<One> | null>;
}
/** A request of a collection: a promise of its first page, and an iterable of the rows of all pages. Sent when it is used. */
interface Pages<One> extends Promise<Page<One>>, AsyncIterable<One> {
    pages(): AsyncIterable<Page<One>>;
}
/** The response to a write that a job completes. */
interface Accepted<Job> {
    readonly accepted: true;
    /** The URL of the job. */
    readonly location: string | null;
    readonly retryAfter: string | null;
    /** Null if the response describes no job. */
    readonly job: Job | null;
}
type MetaDocument = Readonly<Record<string, unknown>>;
/** The value of a request, by the responses that it may have. */
type ResultOf<Types, Type extends string, Answers, Paths, Fields> = Answers extends 'row' ? Row<Types, Type, Paths, Fields, Tagged<Types, Type>> : Answers extends 'none' ? undefined : Answers extends 'meta' ? MetaDocument : Answers extends {
    readonly accepted: infer Job extends string;
} ? Accepted<Row<Types, Job>> : Answers extends {
    readonly row: infer Other extends string;
} ? Row<Types, Other> : Ref & Readonly<Record<string, unknown>>;
type TypeName<Types> = keyof Types & string;
/** A member of the description of a type. */
type Part<Types, Type, Key extends keyof TypeSchema> = Type extends keyof Types ? Types[Type][Key & keyof Types[Type]] : never;
/** The same as a union of names. `keyof` makes the compiler print the names in messages instead of this type. */
type Names<Types, Type, Key extends keyof TypeSchema> = keyof {
    [Name in Part<Types, Type, Key> & string as Name extends string ? Name : never]: true;
};
type RelationsOf<Types, Type> = Part<Types, Type, 'relations'>;
type RelationOf<Types, Type, Name> = Name extends keyof RelationsOf<Types, Type> ? RelationsOf<Types, Type>[Name] : never;
/** A member of the description of a relation. */
type RelationPart<Relation, Key extends keyof RelationSchema> = Relation extends {
    readonly [Name in Key]: infer Value;
} ? Value : never;
/** The names of the related types. */
type TargetOf<Types, Type, Name> = RelationPart<RelationOf<Types, Type, Name>, 'to'> & string;
/** A resource identifier. A row is one as well. */
interface Ref<Type extends string = string> {
    readonly type: Type;
    readonly id: string;
}
/** Members of every row beside its fields. */
interface RowBase {
    readonly $meta?: Readonly<Record<string, unknown>>;
    readonly $links?: Readonly<Record<string, unknown>>;
    /** The numbers of members of relations that `withCount` names. */
    readonly $counts?: Readonly<Record<string, number>>;
}
/** The entity tag of a resource that `get`, `create` or `update` returns. */
type Tagged<Types, Type> = Part<Types, Type, 'etags'> extends true ? {
    readonly $etag: string;
} : {
    readonly $etag?: string;
};
/** The first relation of each include path, and what follows a relation. */
type Heads<Paths> = Paths extends `${infer Head}.${string}` ? Head : Paths;
type Tails<Paths, Head> = Paths extends `${Head & string}.${infer Tail}` ? Tail : never;
/** The names in a fieldset of a type; all names without one. */
type Shown<Fields, Type> = Type extends keyof Fields ? Fields[Type] extends readonly (infer Name)[] ? Name : string : string;
/** A resource of a type, with the relations in `Paths` resolved, the fields limited by `Fields`, and the members of `Other`. */
type Row<Types, Type extends string, Paths = never, Fields = unknown, Other = unknown> = Type extends keyof Types ? Ref<Type> & RowBase & Other & Attributes<Part<Types, Type, 'attributes'>, Shown<Fields, Type>> & Relations<Types, Type, Paths, Fields, Shown<Fields, Type>> extends infer All ? {
    [Key in keyof All]: All[Key];
} : never : Ref<Type> & RowBase & Other;
type Attributes<All, Names> = {
    readonly [Name in keyof All as Name extends Names ? Name : never]: All[Name];
};
/** The relations that are included, and those whose linkage is in every response. */
type Relations<Types, Type extends keyof Types, Paths, Fields, Names> = {
    readonly [Name in keyof RelationsOf<Types, Type> as Name extends Names ? Name extends Heads<Paths> ? Name : RelationsOf<Types, Type>[Name] extends {
        readonly linked: true;
    } ? Name : never : never]: Members<Types, RelationsOf<Types, Type>[Name], Name extends Heads<Paths> ? true : false, Tails<Paths, Name>, Fields>;
};
type Members<Types, Relation, IsIncluded, Paths, Fields> = Relation extends {
    readonly to: infer To extends string;
    readonly many: infer Many;
    readonly pivot: infer Pivot;
} ? OneOrMany<Many, (IsIncluded extends true ? Row<Types, To, Paths, Fields> : IdentifierOf<To>) & WithPivot<Pivot>> : never;
type IdentifierOf<To> = To extends string ? Ref<To> & Pick<RowBase, '$meta'> : never;
type OneOrMany<Many, One> = Many extends true ? readonly One[] : One | null;
type WithPivot<Pivot> = [keyof Pivot] extends [never] ? unknown : {
    readonly $meta?: {
        readonly pivot: Pivot;
    };
};
/** The names of fields of a type. */
type FieldName<Types, Type> = Type extends keyof Types ? (keyof Part<Types, Type, 'attributes'> | keyof RelationsOf<Types, Type>) & string : never;
/** The types that a response with these includes may contain. */
type TypesIn<Types, Type extends string, Paths> = Type | ([Paths] extends [never] ? never : {
    [Name in Heads<Paths> & keyof RelationsOf<Types, Type>]: TypesIn<Types, TargetOf<Types, Type, Name>, Tails<Paths, Name>>;
}[Heads<Paths> & keyof RelationsOf<Types, Type>]);
interface ApiSchema {
    /** The resource types of a server, by name: each is a `TypeSchema`. */
    readonly types: object;
    /** The status of every error code. */
    readonly errors: object;
}
interface TypeSchema {
    /** The attributes of a read resource. Optional ones are not in every response. */
    readonly attributes: object;
    /** The attributes that a create and an update accept. */
    readonly create: object;
    readonly update: object;
    /** Whether a create sends the id: never, optionally or always. */
    readonly id: 'server' | 'optional' | 'client';
    /** By name: each is a `RelationSchema`. */
    readonly relations: object;
    readonly operations: Operation;
    readonly filters: object;
    /** Filters that select one resource. */
    readonly singular: object;
    /**
     * The fields that expressions name: an attribute has the kind `text`, `ordered` or `equal`, by its operators, a relation
     * `relation`. Left out if the type has none.
     */
    readonly filterable?: object;
    readonly sorts: string;
    /** The members of `page`. Never if the collection is not paginated. */
    readonly page: object;
    /** The paths that `include` accepts, and those of a request without `include`. */
    readonly includes: string;
    readonly defaultIncludes: string;
    /** The names that `withCount` accepts. */
    readonly counts: string;
    /** By name: each is an `ActionSchema`. */
    readonly actions: unknown;
    /** The results of writes. */
    readonly created: Answer;
    readonly updated: Answer;
    readonly removed: Answer;
    /** Whether the responses to `get`, `create` and `update` have an entity tag. */
    readonly etags: boolean;
    /** The URL segment. */
    readonly path: string;
}
/** `live` and `liveOne` are streams of `list` and `get`. */
type Operation = 'list' | 'get' | 'create' | 'update' | 'remove' | 'live' | 'liveOne';
/** `row`: the resource, `none`: no content, `meta`: a document with `meta` only, `{ accepted }`: a job of that type. */
type Answer = 'row' | 'none' | 'meta' | 'location' | {
    readonly row: string;
} | {
    readonly accepted: string;
};
interface RelationSchema {
    /** The names of the related types. */
    readonly to: string;
    readonly many: boolean;
    /** Whether a response contains the linkage of a relation that is not included. */
    readonly linked: boolean;
    /** The documents in which the relation may be sent. */
    readonly on: 'create' | 'update';
    readonly required: boolean;
    /** Whether a to-one may be emptied. */
    readonly nullable: boolean;
    /** Whether `/{type}/{id}/{relation}` and `/{type}/{id}/relationships/{relation}` exist. */
    readonly related: boolean;
    readonly linkage: boolean;
    readonly includable: boolean;
    readonly writes: 'add' | 'replace' | 'remove';
    readonly filters: object;
    readonly sorts: string;
    readonly page: object;
    readonly counts: string;
    /** The values of a membership in `meta.pivot`. */
    readonly pivot: object;
    /** Those to send; required ones if the membership is new. */
    readonly pivotInput: object;
    readonly path: string;
}
interface ActionSchema {
    readonly on: 'resource' | 'collection';
    readonly method: 'GET' | 'POST' | 'DELETE';
    /** Never without input, the name of the type of a document, or the media types of raw input. */
    readonly input: {
        readonly type: string;
    } | {
        readonly media: string;
    };
    readonly answers: Answer;
}
declare const mediaType = "application/vnd.api+json";
/** Milliseconds without a byte after which a stream is lost: the server sends heart-beats, at least one every 15 seconds. */
declare const longestSilence = 40000;
/** How failed requests are repeated. */
interface RetryOptions {
    /** Repetitions after the first attempt; default: 2, and 10 for each connection of a live collection. */
    readonly retries?: number;
    /** The delay before the first repetition in milliseconds, doubled for each one after it; default: 200. */
    readonly delay?: number;
    /** The longest delay in milliseconds; default: 10,000. A longer `Retry-After` ends the attempts. */
    readonly maxDelay?: number;
}
interface ConnectionOptions {
    /** The URL of the server: `https://api.example.com`, or with its prefix. */
    readonly url: string;
    /** A bearer token, or a function that returns one for each attempt. */
    readonly token?: string | (() => string | null | Promise<string | null>);
    /** Headers of every request. */
    readonly headers?: Readonly<Record<string, string>>;
    readonly fetch?: typeof globalThis.fetch;
    /** False repeats no request. */
    readonly retry?: RetryOptions | false;
    /** Sends a random `Idempotency-Key` with every write, so that writes are repeated as well. The server must support it. */
    readonly idempotencyKeys?: boolean;
    /** The hash of the types, from the file that `npm run make -- types` writes. */
    readonly types?: string;
    /** Called once when the server has other types than `types`; default: `console.warn`. */
    readonly onTypesDiffer?: (message: string) => void;
    /** Waits for milliseconds, and returns a number from 0 to 1; for tests. */
    readonly sleep?: (milliseconds: number) => Promise<void>;
    readonly random?: () => number;
}
interface Call {
    readonly method: string;
    readonly path: string;
    readonly search?: string;
    /** A document, or the raw body if there is a content type. */
    readonly body?: unknown;
    readonly contentType?: string;
    readonly accept?: string;
    readonly signal?: AbortSignal | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly ifMatch?: string | undefined;
    readonly idempotencyKey?: string | true | undefined;
}
interface Reply {
    readonly status: number;
    readonly headers: Headers;
    /** Null without a body. */
    readonly document: JsonDocument | null;
}
interface JsonDocument {
    readonly data?: unknown;
    readonly included?: readonly unknown[];
    readonly errors?: readonly ErrorObject[];
    readonly meta?: Readonly<Record<string, unknown>>;
    readonly links?: Readonly<Record<string, unknown>>;
    readonly [member: string]: unknown;
}
type Send = (call: Call) => Promise<Reply>;
/** Creates the function that sends requests and repeats those that are safe to repeat. */
declare function createSend(options: ConnectionOptions): Send;
/** Opens the connections of a stream of server-sent events. */
interface Connector {
    /**
     * Opens a connection after the event with this id. Pauses first, longer after more connections without an event or a
     * heart-beat. Repeats attempts that fail temporarily.
     */
    readonly connect: (lastEventId: string, connections: number) => Promise<Response>;
    readonly signal: AbortSignal;
    /** Whether the next connection may have another token. */
    readonly renewsToken: boolean;
}
declare function createConnector(options: ConnectionOptions, call: Call, signal: AbortSignal): Connector;
/** The fields of an event by name, of an id without an event, or of a heart-beat: the name of a comment is empty. */
type Block = ReadonlyMap<string, string>;
/**
 * Reads the events and heart-beats of a response until the connection ends or is silent for too long. Throws the reason of an
 * aborted signal.
 */
declare function readBlocks(response: Response, signal: AbortSignal): AsyncGenerator<Block>;
interface Resource {
    readonly type: string;
    readonly id: string;
    readonly attributes?: Readonly<Record<string, unknown>>;
    readonly relationships?: Readonly<Record<string, Relationship>>;
    readonly meta?: Meta;
    readonly links?: Meta;
}
interface Relationship {
    readonly data?: Identifier | null | readonly Identifier[];
    readonly meta?: Meta;
}
interface Identifier {
    readonly type: string;
    readonly id: string;
    readonly meta?: Meta;
}
type Meta = Readonly<Record<string, unknown>>;
type RowObject = Record<string, unknown>;
/**
 * Returns a function that converts resources of a document to rows. Relations are resolved along the include paths only,
 * so that rows are trees without cycles.
 */
declare function rowReader(document: JsonDocument, include: readonly string[] | undefined): (resource: Resource) => RowObject;
declare function toRef({ type, id, meta }: Identifier): RowObject;
declare function resourceKey({ type, id }: {
    readonly type: string;
    readonly id: string;
}): string;
/** An expression on resources of a type. */
interface Expression<in Type extends string = string> {
    readonly text: string;
    readonly of?: (type: Type) => void;
}
/** The filter of a query. Types without filterable fields have none. */
type WhereFilter<Types, Type> = [Part<Types, Type, 'filterable'>] extends [never] ? unknown : keyof Part<Types, Type, 'filterable'> extends never ? unknown : {
    readonly where?: string | Where<Types, Type & string>;
};
/** Composes an expression from operators that know the names and values of a type. */
type Where<Types, Type extends string> = (operators: Operators<Types, Type>) => Expression<Type>;
interface Operators<Types, Type extends string> {
    and(...parts: Parts<Type>): Expression<Type>;
    or(...parts: Parts<Type>): Expression<Type>;
    not(part: Expression<Type>): Expression<Type>;
    /** Requires a related resource; with a second argument one that matches it. */
    has<Name extends NamesOf<Types, Type, 'relation'>>(relation: Name, where?: Where<Types, TargetOf<Types, Type, Name>>): Expression<Type>;
    eq<Path extends Paths<Types, Type>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>;
    ne<Path extends Paths<Types, Type>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>;
    gt<Path extends Paths<Types, Type, Ordered>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>;
    ge<Path extends Paths<Types, Type, Ordered>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>;
    lt<Path extends Paths<Types, Type, Ordered>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>;
    le<Path extends Paths<Types, Type, Ordered>>(path: Path, value: ValueAt<Types, Type, Path>): Expression<Type>;
    contains(path: Paths<Types, Type, 'text'>, text: string): Expression<Type>;
    starts(path: Paths<Types, Type, 'text'>, text: string): Expression<Type>;
    ends(path: Paths<Types, Type, 'text'>, text: string): Expression<Type>;
    /** The operator `in`. */
    isIn<Path extends Paths<Types, Type>>(path: Path, first: ValueAt<Types, Type, Path>, ...values: readonly ValueAt<Types, Type, Path>[]): Expression<Type>;
    /** The operator `null`. */
    isNull(path: Paths<Types, Type, AttributeKind>): Expression<Type>;
}
type Parts<Type extends string> = readonly [Expression<Type>, ...Expression<Type>[]];
/** The operators that an attribute accepts: those of texts, of values with an order, or of equality. */
type AttributeKind = 'text' | 'ordered' | 'equal';
type Ordered = 'text' | 'ordered';
type AnyKind = AttributeKind | 'id';
/** The kinds of the filterable fields of a type, with its id. */
type KindsOf<Types, Type> = {
    readonly id: 'id';
} & ([Part<Types, Type, 'filterable'>] extends [never] ? unknown : Part<Types, Type, 'filterable'>);
type NamesOf<Types, Type, Kind> = {
    [Name in keyof KindsOf<Types, Type>]: KindsOf<Types, Type>[Name] extends Kind ? Name : never;
}[keyof KindsOf<Types, Type>] & string;
type ToOneNames<Types, Type> = {
    [Name in NamesOf<Types, Type, 'relation'>]: RelationPart<RelationOf<Types, Type, Name>, 'many'> extends true ? never : Name;
}[NamesOf<Types, Type, 'relation'>];
/** Names of attributes, also of a resource to which two to-one relations lead. `has` reaches further ones. */
type Paths<Types, Type, Kind = AnyKind> = NamesOf<Types, Type, Kind> | {
    [First in ToOneNames<Types, Type>]: `${First}.${NamesOf<Types, TargetOf<Types, Type, First>, Kind>}` | {
        [Second in ToOneNames<Types, TargetOf<Types, Type, First>>]: `${First}.${Second}.${NamesOf<Types, TargetOf<Types, TargetOf<Types, Type, First>, Second>, Kind>}`;
    }[ToOneNames<Types, TargetOf<Types, Type, First>>];
}[ToOneNames<Types, Type>];
type ValueAt<Types, Type, Path> = Path extends `${infer Name}.${infer Rest}` ? Name extends keyof RelationsOf<Types, Type> ? ValueAt<Types, TargetOf<Types, Type, Name>, Rest> : never : Path extends 'id' ? string : Path extends keyof Part<Types, Type, 'attributes'> ? NonNullable<Part<Types, Type, 'attributes'>[Path]> : never;
/** The text of an expression, for a filter with another key: `filter: { q: where<Api, 'tasks'>(…) }`. */
declare function where<Api extends {
    readonly types: object;
}, Type extends keyof Api['types'] & string>(compose: Where<Api['types'], Type>): string;
/** Calls the function that composes an expression, and returns its text. */
declare function writeExpression(compose: (operators: typeof writers) => Expression): string;
declare const writers: {
    and: (...parts: readonly Expression[]) => Expression;
    or: (...parts: readonly Expression[]) => Expression;
    not: (...parts: readonly Expression[]) => Expression;
    has: (relation: string, compose?: (operators: never) => Expression) => Expression;
    eq: (path: string, ...values: readonly unknown[]) => Expression;
    ne: (path: string, ...values: readonly unknown[]) => Expression;
    gt: (path: string, ...values: readonly unknown[]) => Expression;
    ge: (path: string, ...values: readonly unknown[]) => Expression;
    lt: (path: string, ...values: readonly unknown[]) => Expression;
    le: (path: string, ...values: readonly unknown[]) => Expression;
    contains: (path: string, ...values: readonly unknown[]) => Expression;
    starts: (path: string, ...values: readonly unknown[]) => Expression;
    ends: (path: string, ...values: readonly unknown[]) => Expression;
    isIn: (path: string, ...values: readonly unknown[]) => Expression;
    isNull: (path: string, ...values: readonly unknown[]) => Expression;
};
export type { RawBody };
export type { Batch, Local };
export type { Client };
export { type ClientOptions, createClient };
export { type ApiError, type ErrorObject, JsonApiError, type Outcome };
export type { ChangeOptions, RequestOptions, WriteOptions };
export type { Accepted, Page, Pages };
export type { Ref, Row };
export type { ActionSchema, Answer, ApiSchema, RelationSchema, TypeSchema };
export type { RetryOptions };
export { type Expression, type Operators, type Where, where };
