import Joi from 'joi'
import type { Plugin } from '#kernel/plugin'
import { createDocumentLimits } from './document-limits.ts'

/** Limits the resources, the resource identifiers and the characters of documents, and the size of error documents. 0 disables a limit. */
export function limits(): Plugin {
  return {
    name: 'limits',
    environment: {
      MAX_ERROR_BYTES: Joi.number().integer().min(0).default(200_000),
      MAX_DOCUMENT_RESOURCES: Joi.number().integer().min(0).default(5000),
      MAX_DOCUMENT_IDENTIFIERS: Joi.number().integer().min(0).default(20_000),
      MAX_DOCUMENT_CHARACTERS: Joi.number().integer().min(0).default(20_000_000),
    },

    setup(app) {
      app.documents = createDocumentLimits(app.config)
    },
  }
}
