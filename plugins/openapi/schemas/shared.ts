import type { Schema } from '#openapi'

const text = (description: string): Schema => ({ type: 'string', description })
const link = (description: string): Schema => ({ type: 'string', description })

/** A `meta` object with any members. */
const openMeta: Schema = { $ref: '#/components/schemas/Meta' }

/** Schemas that all documents share. */
export const sharedSchemas: Readonly<Record<string, Schema>> = {
  JsonApi: {
    type: 'object',
    description: 'The version, extensions and profiles of JSON:API.',
    properties: {
      version: { type: 'string', const: '1.1' },
      ext: { type: 'array', items: { type: 'string' }, description: 'The extensions applied.' },
      profile: { type: 'array', items: { type: 'string' }, description: 'The profiles applied.' },
    },
    required: ['version'],
  },
  Meta: { type: 'object', description: 'Members that JSON:API does not define.', additionalProperties: true },
  LinkObject: {
    type: 'object',
    properties: {
      href: { type: 'string' },
      rel: { type: 'string' },
      describedby: { type: ['string', 'object', 'null'], description: 'A link to a description of the target.' },
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
    additionalProperties: {
      anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/LinkObject' }, { type: 'null' }],
    },
  },
  PaginationLinks: {
    type: 'object',
    description: 'Links to other pages of the collection; absent if the page does not exist.',
    properties: {
      self: link('This page.'),
      related: link('The related resources.'),
      first: link('The first page.'),
      prev: link('The previous page.'),
      next: link('The next page.'),
      last: link('The last page; only when the collection was counted.'),
    },
    additionalProperties: { type: 'string' },
  },
  Error: {
    type: 'object',
    properties: {
      id: text('The id of the request.'),
      status: { ...text('The HTTP status.'), pattern: '^[45][0-9]{2}$' },
      code: text('The error code for programs; absent for errors without a code.'),
      title: text('A summary for people; the same for every error with this code.'),
      detail: text('An explanation of this occurrence.'),
      source: { $ref: '#/components/schemas/ErrorSource' },
      links: { $ref: '#/components/schemas/Links' },
      meta: openMeta,
    },
    required: ['status'],
  },
  ErrorSource: {
    type: 'object',
    description: 'The part of the request that caused the error.',
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
      truncated: { type: 'boolean', description: 'True if further errors were left out of the document.' },
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
    description: 'The request headers that the response depends on.',
    schema: { type: 'string', examples: ['Accept'] },
  },
  RetryAfter: {
    description: 'When to send the request again: seconds or a date.',
    schema: { type: 'string', examples: ['1'] },
  },
} as const
