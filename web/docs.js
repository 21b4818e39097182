/* global SwaggerUIBundle */
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark-mode');

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // The list of all schemas repeats what each operation shows.
  defaultModelsExpandDepth: -1,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  // The validator badge would send requests to another server.
  validatorUrl: null,
});
