var WhyformerLabs={};
