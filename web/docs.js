/* global SwaggerUIBundle */
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark-mode');

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // A list of all schemas below the operations repeats what each operation shows.
  defaultModelsExpandDepth: -1,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  // The badge of this would ask a server elsewhere.
  validatorUrl: null,
});
