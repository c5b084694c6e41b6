import Joi from 'joi'
import type { App, OperationKind, Plugin, Registry } from '#kernel/plugin'
import type { Schema } from '#openapi'
import { routeName } from '#routes'
import { createFiles, type DescribedFiles, describeFiles, documentPath } from './files.ts'
import { pascalCase } from './names.ts'
import type { OpenApiOperations, OpenApiOptions } from './options.ts'
import { type PreparedResponse, sendResponse } from './prepared-response.ts'
import { pageFile } from './ui/page.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Returns a document, JSON Schemas or the page by the path; the first call writes it. Undefined if they are disabled. */
    openapiFile?: (path: string) => PreparedResponse | undefined
    /**
     * Returns the operations and components of the document with the path. Before the document is written, only operations that are
     * read are: a check of a few responses needs a tenth of the time.
     */
    openapiOperations?: (path: string) => OpenApiOperations | undefined
  }
}

export { describeApp, describeServer } from './files.ts'
export type { Decorator, Info, OpenApiDocument, OpenApiOperations, OpenApiOptions, Security } from './options.ts'
export { type PreparedResponse, prepareResponse, sendResponse } from './prepared-response.ts'

declare module '#kernel' {
  interface FieldModifiers<Entity> {
    /** The description in the OpenAPI document. */
    describedAs(text: string): this
    /** An example in the OpenAPI document and its requests: a value, or the linkage of a relation. */
    example(value: unknown): this
    /** Marks the member as deprecated in the OpenAPI document; it keeps working. */
    deprecated(): this
  }
  interface FieldOptions {
    description?: string
    example?: unknown
    deprecated?: true
  }
  interface ResourceKeys<Entity> {
    /** JSON Schemas of values that functions compute: `{ name: { type: 'string' } }`. */
    readonly schemas?: Readonly<Record<string, Schema>>
    /** The id in examples of the OpenAPI document: of an existing resource, or a new one if clients choose ids. */
    readonly exampleId?: string
    /** The principal for whom the examples of requests succeed that anonymous requesters may not send. */
    readonly examplePrincipal?: string
    /** The OpenAPI tags of the operations of the type. */
    readonly tags?: readonly string[]
    /** Descriptions of operations: `{ Create: 'Adds an album to the catalogue.' }`. */
    readonly descriptions?: Readonly<Partial<Record<OperationKind, string>>>
    /** Returns the description of an operation; overrides `descriptions` unless it returns undefined. */
    readonly describeOperation?: (kind: OperationKind, relation?: string) => string | undefined
  }
}

const operationKinds: Readonly<Record<OperationKind, Joi.Schema>> = {
  FetchCollection: Joi.string(),
  FetchOne: Joi.string(),
  FetchRelated: Joi.string(),
  FetchRelationship: Joi.string(),
  Create: Joi.string(),
  Update: Joi.string(),
  Delete: Joi.string(),
  UpdateRelationship: Joi.string(),
  AddToRelationship: Joi.string(),
  RemoveFromRelationship: Joi.string(),
  Action: Joi.string(),
  FetchAction: Joi.string(),
}

const keyForms = {
  schemas: Joi.object().pattern(Joi.string(), Joi.object()),
  exampleId: Joi.string().allow(''),
  examplePrincipal: Joi.string(),
  tags: Joi.array().items(Joi.string()),
  descriptions: Joi.object(operationKinds),
  describeOperation: Joi.function(),
}

const fieldModifiers = {
  describedAs: (_: unknown, description: string) => ({ options: { description } }),
  example: (_: unknown, example: unknown) => ({ options: { example } }),
  deprecated: () => ({ options: { deprecated: true as const } }),
}

/** Serves an OpenAPI 3.1 document per server, described at boot by the types and `describe` of every plugin. */
export function openapi(options: OpenApiOptions = {}): Plugin {
  const { enabled = true, describedby = true } = options
  return {
    name: 'openapi',
    keys: keyForms,
    modifiers: {
      arguments: { describedAs: [Joi.string().required()] },
      attribute: fieldModifiers,
      relation: fieldModifiers,
    },

    onCompile(registry) {
      checkSchemas(registry)
      checkTags(registry)
      checkExampleIds(registry)
      checkNames(registry)
    },

    setup(app) {
      if (!enabled) return
      const { openapiFile, openapiOperations } = createReaders(describeFiles(app, options))
      // An error of a decorator is a boot error. Without decorators the first request of a file writes it.
      if (options.decorators?.length) for (const server of app.servers) openapiFile(documentPath(server, options))
      Object.assign(app, { openapiFile, openapiOperations })
    },

    routes(server) {
      const files = enabled ? createFiles(server, options) : []
      return files.map(({ name, path, title, asset }) => ({
        name: routeName(server, 'openapi', name),
        methods: ['GET', 'HEAD'],
        path,
        isAbsolute: true,
        ...(title && { title }),
        handle: (ctx, request) =>
          sendResponse(ctx, asset ? pageFile(asset) : (request.app.openapiFile?.(path) as PreparedResponse)),
      }))
    },

    plan({ server, document }) {
      if (!enabled || !describedby) return
      const { prefix } = server
      const path = documentPath(server, options)
      document.push(({ url: { base } }, { links }) => {
        const root = base.endsWith(prefix) ? base.slice(0, base.length - prefix.length) : base
        if (links) links.describedby = root + path
      })
    },
  }
}

/**
 * Returns functions that read a file, and the operations of a document, by its path. The first read of a file writes the files
 * of its group, and drops their description.
 */
function createReaders({
  files,
  operations,
}: DescribedFiles): Required<Pick<App, 'openapiFile' | 'openapiOperations'>> {
  const written = new Map<string, PreparedResponse>()
  const openapiFile = (path: string) => {
    for (const [name, response] of files.get(path)?.() ?? []) {
      written.set(name, response)
      files.delete(name)
      operations.delete(name)
    }
    return written.get(path)
  }
  const openapiOperations = (path: string) => {
    const read = operations.get(path)
    if (read) return read()
    const file = openapiFile(path)
    return file && (JSON.parse(String(file.body)) as OpenApiOperations)
  }
  return { openapiFile, openapiOperations }
}

/** Rejects `schemas` of attributes that no function computes: their schema follows from the declaration. */
function checkSchemas(registry: Registry): void {
  for (const type of registry.types.values()) {
    for (const name of Object.keys(type.declaration.schemas ?? {})) {
      const isWritten = type.attributes.some((attribute) => attribute.name === name && attribute.serialize)
      if (!isWritten) registry.fail(type, 'schemas', `'${name}' is not an attribute that a function computes.`)
    }
  }
}

function checkTags(registry: Registry): void {
  for (const type of registry.types.values()) {
    const { tags = [] } = type.declaration
    if (tags.some((tag) => tag.trim() === '')) registry.fail(type, 'tags', 'A tag must not be blank.')
    if (new Set(tags).size < tags.length) registry.fail(type, 'tags', 'A tag is listed twice.')
  }
}

/** Rejects example ids that the type does not accept. */
function checkExampleIds(registry: Registry): void {
  for (const type of registry.types.values()) {
    const { exampleId } = type.declaration
    const format = type.id.format ?? type.id.urlFormat
    if (exampleId === undefined || (exampleId !== '' && (!format || format.test(exampleId)))) continue
    registry.fail(type, 'exampleId', `'${exampleId}' is not an id of the type.`)
  }
}

/** Component names of types must be unique. */
function checkNames(registry: Registry): void {
  const taken = new Map<string, string>()
  for (const type of registry.types.values()) {
    const name = pascalCase(type.name)
    const twin = taken.get(name)
    if (twin)
      registry.fail(type, null, `The OpenAPI schemas of this type and of '${twin}' would have the same name: ${name}.`)
    taken.set(name, type.name)
  }
}
