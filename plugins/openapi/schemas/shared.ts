import type { Schema } from '#openapi'

const text = (description: string): Schema => ({ type: 'string', description })
const link = (description: string): Schema => ({ type: 'string', description })

/** Meta of any shape. */
export const openMeta: Schema = { $ref: '#/components/schemas/Meta' }

/** Schemas that all documents share. */
export const sharedSchemas: Readonly<Record<string, Schema>> = {
  JsonApi: {
    type: 'object',
    description: 'What the service speaks.',
    properties: {
      version: { type: 'string', const: '1.1' },
      ext: { type: 'array', items: { type: 'string' }, description: 'The extensions applied.' },
      profile: { type: 'array', items: { type: 'string' }, description: 'The profiles applied.' },
    },
    required: ['version'],
  },
  Meta: { type: 'object', description: 'What the standard leaves to the service.', additionalProperties: true },
  LinkObject: {
    type: 'object',
    properties: {
      href: { type: 'string' },
      rel: { type: 'string' },
      describedby: { type: 'string' },
      title: { type: 'string' },
      type: { type: 'string' },
      hreflang: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      meta: openMeta,
    },
    required: ['href'],
  },
  Links: {
    type: 'object',
    properties: {
      self: link('This document or resource.'),
      related: link('The related resources.'),
    },
    additionalProperties: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/LinkObject' }] },
  },
  PaginationLinks: {
    type: 'object',
    description: 'The collection, page by page; a page that is not there has no link.',
    properties: {
      self: link('This page.'),
      related: link('The related resources.'),
      first: link('The first page.'),
      prev: link('The page before.'),
      next: link('The page after.'),
      last: link('The last page; only when the collection was counted.'),
    },
    additionalProperties: { type: 'string' },
  },
  Error: {
    type: 'object',
    properties: {
      id: text('Of this occurrence: the id of the request.'),
      status: { ...text('The HTTP status.'), pattern: '^[45][0-9]{2}$' },
      code: text('What went wrong, for programs. Left out when the error is not one of the catalogue.'),
      title: text('What went wrong, for people; the same for every error of a code.'),
      detail: text('What went wrong this time.'),
      source: { $ref: '#/components/schemas/ErrorSource' },
      links: { $ref: '#/components/schemas/Links' },
      meta: openMeta,
    },
    required: ['status'],
  },
  ErrorSource: {
    type: 'object',
    description: 'The place in the request: exactly one of these.',
    properties: {
      pointer: text('A JSON pointer into the body (RFC 6901).'),
      parameter: text('A query parameter.'),
      header: text('A request header.'),
    },
    minProperties: 1,
    maxProperties: 1,
  },
  ErrorMeta: {
    type: 'object',
    properties: {
      truncated: { type: 'boolean', description: 'Whether there are more errors than those in the document.' },
    },
    additionalProperties: true,
  },
  ErrorDocument: {
    type: 'object',
    properties: {
      errors: { type: 'array', items: { $ref: '#/components/schemas/Error' }, minItems: 1 },
      meta: { $ref: '#/components/schemas/ErrorMeta' },
      jsonapi: { $ref: '#/components/schemas/JsonApi' },
    },
    required: ['errors', 'jsonapi'],
  },
  MetaDocument: {
    type: 'object',
    description: 'A document without data.',
    properties: {
      meta: openMeta,
      links: { $ref: '#/components/schemas/Links', required: ['self'] },
      jsonapi: { $ref: '#/components/schemas/JsonApi' },
    },
    required: ['meta', 'links', 'jsonapi'],
  },
}

export const sharedHeaders = {
  Vary: {
    description: 'The request headers the answer depends on.',
    schema: { type: 'string', examples: ['Accept'] },
  },
  RetryAfter: {
    description: 'When to come back: seconds, or a date.',
    schema: { type: 'string', examples: ['1'] },
  },
} as const
