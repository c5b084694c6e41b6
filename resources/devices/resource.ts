import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Device } from './entity.ts'

export default defineResource(Device, {
  type: 'devices',
  exampleId: '01JZY5Q7M2N8R4T6V0W1X3Y5Z7',
  fields: ({ id, string }) => [
    id().ulid().generated(),
    string('label').required().maxLength(200).example('Kitchen radio'),
  ],
  emitsSelfLink: false,
  deprecation: true,
  sunset: 'Sat, 31 Dec 2050 23:59:59 GMT',
  sunsetLink: 'https://music.example/deprecations/devices',
  policy: open,
})
