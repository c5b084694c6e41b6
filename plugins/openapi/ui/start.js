/* global SwaggerUIBundle, SwaggerUIStandalonePreset */

// The documents are named in the page, so that no script stands in it.
const place = document.getElementById('documentation')

window.ui = SwaggerUIBundle({
  domNode: place,
  urls: JSON.parse(place.dataset.documents),
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  // Their logo brings a style of its own along, which the page does not allow.
  plugins: [() => ({ components: { Logo: () => null } })],
  deepLinking: true,
  displayOperationId: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  // No address but this service's is ever asked.
  validatorUrl: null,
  queryConfigEnabled: false,
})
