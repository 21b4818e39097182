import SwaggerUIBundle from '@fastify/swagger-ui/static/swagger-ui-bundle.js';

const isDark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = () => document.documentElement.classList.toggle('dark-mode', isDark.matches);
setTheme();
isDark.addEventListener('change', setTheme);

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // The list of all schemas repeats what each operation shows.
  defaultModelsExpandDepth: -1,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  // Its colours are fixed and have too little contrast.
  syntaxHighlight: { activated: false },
  // The validator badge would send requests to another server.
  validatorUrl: null,
});
