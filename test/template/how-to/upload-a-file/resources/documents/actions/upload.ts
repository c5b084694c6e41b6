import { data, defineAction } from '#plugins/actions/index.ts'
import { Document } from '../entity.ts'

export default defineAction(Document, {
  input: 'raw',
  accepts: ['application/pdf', 'image/png', 'text/plain'],
  maxBytes: 5 * 1024 * 1024,
  answers: 'data',
  description: 'Stores the file of a document, instead of an earlier one.',

  handle({ subject: document, input: { mediaType, bytes } }) {
    document.content = bytes
    document.mediaType = mediaType
    document.size = bytes.length
    return data(document)
  },
})
